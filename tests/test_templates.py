"""Prompts by template: ours say what they said as code, and what leaves a part out is told."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.answering import prompt as answering
from plancheck.params.answer import Answer
from plancheck.params.planning import Planner
from plancheck.planning import prompt as planning
from plancheck.plumbing.errors import StudyError
from plancheck.records import Question

TEXT = st.text(max_size=40) | st.sampled_from(
    ["{{ question }}", "{% if context %}", "{# no #}", "a\r\n", "<b> & </b>", " \n"]
)


def answer_params(mode="generate", prompt=None):
    return Answer(
        mode=mode, prompt=prompt, max_new_tokens=4, pass_tokens=64, batch_size=2, device="cpu", dtype="float32"
    )


def planner_params(prompt=None):
    return Planner(prompt=prompt, max_atoms=3, snippet_chars=None, max_new_tokens=8, device="cpu", dtype="float32")


def question_of(text, choices):
    return Question("q", "d", "", "", "", text, tuple(choices), "A", "c")


def said_likelihood(question, context):
    return (f"{context}\n\n" if context else "") + question.question


def said_generate(question, context):
    passage = f"Read the text, then answer the question about it.\n\n{context}\n\n" if context else ""
    choices = "\n".join(f"{letter}. {text}" for letter, text in zip(question.letters, question.choices, strict=True))
    *others, last = question.letters
    ask = f"Reply with the letter of the right choice and nothing else: {', '.join(others)} or {last}."
    return f"{passage}Question: {question.question}\n{choices}\n\n{ask}"


def said_planner(question, candidates):
    passages = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(candidates, start=1))
    ask = (
        "Which of the passages are needed to answer the question? Do not answer it. Reply with the numbers of the "
        "needed passages in brackets and nothing else, the most needed first, at most 3, such as "
        f"{planning.example(question, len(candidates))}."
    )
    return f"{passages}\n\nQuestion: {question.question}\nPossible answers: {' / '.join(question.choices)}\n\n{ask}"


@settings(deadline=None)
@given(text=TEXT, choices=st.lists(TEXT, min_size=2, max_size=10), context=TEXT)
def test_our_answer_prompts_are_those_that_were_code(text, choices, context):
    question = question_of(text, choices)
    for mode, said in (("likelihood", said_likelihood), ("generate", said_generate)):
        [message] = answering.asker(answer_params(mode))(question, context)
        assert message == {"role": "user", "content": said(question, context)}


@settings(deadline=None)
@given(text=TEXT, choices=st.lists(TEXT, min_size=2, max_size=10), candidates=st.lists(TEXT, min_size=1, max_size=5))
def test_our_planner_prompt_is_the_one_that_was_code(text, choices, candidates):
    question = question_of(text, choices)
    [message] = planning.planner_messages(question, candidates, planner_params())
    assert message == {"role": "user", "content": said_planner(question, candidates)}


def test_our_prompts_show_all_that_they_must():
    for mode in ("likelihood", "generate"):
        answering.refuse_incomplete(answer_params(mode), range(2, 11))
    planning.refuse_incomplete(planner_params(), range(2, 11))


WHOLE = "{{ context }} {{ question }} {{ choices | join(' ') }}"
LETTER, CHOICE = "{{ letters[loop.index0] }}", "{{ choice }}"
EACH = f"{{% for choice in choices %}}{LETTER} {CHOICE} {{% endfor %}}"
LETTERED = f"{{{{ context }}}} {{{{ question }}}} {EACH}"
REFUSED = {
    "no question": ("{{ context }} {{ choices | join }}", "leaves out or changes the question"),
    "no context": ("{{ question }} {{ choices | join }}", "leaves out or changes the context"),
    "no choices": ("{{ context }} {{ question }}", "leaves out or changes choice A, choice B"),
    "a choice too few": (
        "{{ context }} {{ question }} {{ choices[0] }} {{ choices[1] }}",
        "changes choice C, choice D",
    ),
    "a cut context": (WHOLE.replace("context", "context[:5000]"), "changes the context"),
    "an escaped question": (WHOLE.replace("question", "question | e"), "changes the question"),
    "a question only beside a context": (
        "{% if context %}" + LETTERED + "{% else %}{{ choices | join }}{% endif %}",
        "the question. A prompt shows each whole and as it is. This is where no context is shown.",
    ),
    "a name that is not given": (WHOLE + "\n{{ gold }}", "line 2: 'gold' is undefined. It is given choices, context"),
    "a choice too many": (WHOLE + "{{ choices[7] }}", "line 1: list object has no element 7"),
    "a broken tag": ("\n{% if context %}" + WHOLE, "line 2: no Jinja template"),
    "another file where nothing is shown": (
        WHOLE + "{% if false %}{% import 'a' as b %}{% endif %}",
        "asks for another file",
    ),
    "another file": ("{% include 'params.yaml' %}" + WHOLE, "no loader"),
    "python behind a text": (WHOLE + "{{ question.__class__.__mro__ }}", "unsafe"),
    "a changed list": (WHOLE + "{{ choices.append('E') }}", "unsafe"),
    "chance": (WHOLE + "{{ choices | random }}", "No filter named 'random'"),
    "more digits than Python writes": (WHOLE + "{{ 10**5000 }}", "cannot be worked out"),
    "nothing": ("", "the question"),
    "a range": (WHOLE + "{% for n in range(9) %}{% endfor %}", "line 1: 'range' is undefined"),
    "a name where nothing is shown": (
        WHOLE + "\n{% if false %}{{ answer }}{% endif %}",
        "line 2: 'answer' is undefined",
    ),
    "no letters": (LETTERED.replace("letters[loop.index0]", "loop.index"), "shows choice A, B, C, D out of order"),
    "letters behind": (LETTERED.replace(f"{LETTER} {CHOICE}", f"{CHOICE} {LETTER}"), "without its letter before it"),
    "letters backwards": (LETTERED.replace("letters[loop.index0]", "letters[-loop.index]"), "shows choice A"),
    "choices backwards": (LETTERED.replace("in choices", "in choices | reverse"), "out of order"),
    "brackets without end": ("{{ " + "(" * 2_000 + "question" + ")" * 2_000 + " }}", "nested too deep"),
    "loops in loops": ("{% for a in choices %}" * 40 + WHOLE + "{% endfor %}" * 40, "nested too deep"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_template_that_does_not_do_is_refused_by_its_file(case, tmp_path):
    source, part = REFUSED[case]
    path = tmp_path / "mine.jinja"
    path.write_text(source)
    with pytest.raises(StudyError) as caught:
        answering.refuse_incomplete(answer_params(prompt=path), [4])
    assert str(caught.value).startswith(str(path)) and part in str(caught.value)


def test_the_texts_of_choices_need_not_stand_in_a_prompt_that_they_are_replies_to(tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text("{{ context }}\n{{ question }}")
    answering.refuse_incomplete(answer_params("likelihood", path), [2, 4])


PLAN = "{% for passage in passages %}[{{ loop.index }}] {{ passage }}\n{% endfor %}{{ question }}"


@pytest.mark.parametrize(
    "source",
    [
        "{{ question }} {{ passages[0] }}",
        "{{ passages | join }}",
        PLAN.replace("passages", "passages[:10]"),
        PLAN.replace("{{ passage }}", "{{ passage[:500] }}"),
    ],
)
def test_a_planner_s_template_shows_the_question_and_every_passage(source, tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text(source)
    with pytest.raises(StudyError, match="leaves out or changes"):
        planning.refuse_incomplete(planner_params(path), [4])


@pytest.mark.parametrize("content", [b"\xff{{ question }}", None])
def test_a_file_that_is_no_text_is_refused(content, tmp_path):
    path = tmp_path / "mine.jinja"
    path.mkdir() if content is None else path.write_bytes(content)
    with pytest.raises(StudyError, match="not readable as UTF-8"):
        answering.asker(answer_params(prompt=path))


def test_line_ends_of_the_file_are_those_of_the_template_and_its_last_one_is_none(tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_bytes(b"\xef\xbb\xbf{{ question }}\r\nAnswer:\r\n")
    [message] = answering.asker(answer_params("likelihood", path))(question_of("a\r\nb", "xy"), "")
    assert message["content"] == "a\r\nb\nAnswer:"


@settings(deadline=None)
@given(st.text(max_size=30))
def test_a_template_of_the_user_s_own_shows_texts_as_they_are(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "shown.jinja"
    path.write_text("{{ context }}|{{ question }}|{{ choices[1] }}")
    [message] = answering.asker(answer_params("likelihood", path))(question_of(text, [json.dumps(text), text]), text)
    assert message["content"] == f"{text}|{text}|{text}"


@pytest.mark.parametrize("number", ["loop.index0", "loop.revindex", "''"])
def test_a_planner_s_template_numbers_the_passages_as_its_replies_are_read(number, tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text(PLAN)
    planning.refuse_incomplete(planner_params(path), [4])
    path.write_text(PLAN.replace("loop.index", number))
    with pytest.raises(StudyError, match="number from 1"):
        planning.refuse_incomplete(planner_params(path), [4])


def test_an_official_prompt_may_name_its_letters_and_trim_its_texts(tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text("{{ context | trim }}\n{{ question | trim }}\n(A) {{ choices[0] | trim }}\n(B) {{ choices[1] }}\n")
    answering.refuse_incomplete(answer_params(prompt=path), [2])
    [message] = answering.asker(answer_params(prompt=path))(question_of(" Who? ", [" a", "b"]), " It.\n")
    assert message["content"] == "It.\nWho?\n(A) a\n(B) b"
    with pytest.raises(StudyError, match="changes choice C"):
        answering.refuse_incomplete(answer_params(prompt=path), [2, 3])


def test_what_only_a_real_text_shows_is_refused_when_it_is_asked(tmp_path):
    path = tmp_path / "mine.jinja"
    path.write_text("{{ context | replace('Ost', 'Tarn') }} {{ question }}")
    answering.refuse_incomplete(answer_params("likelihood", path), [4])
    with pytest.raises(StudyError, match="changes the context"):
        answering.asker(answer_params("likelihood", path))(question_of("Where?", "ab"), "In Ost.")
