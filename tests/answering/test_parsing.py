import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plancheck.answering import parsing
from plancheck.answering.confidence import choice_probabilities
from plancheck.answering.reasoning import after_reasoning
from plancheck.matching import fold
from plancheck.records import LETTERS


def parse_letter(reply, choices=4):
    return parsing.parse_letter(reply, choices)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "B"),
        (" C.", "C"),
        ("(D)", "D"),
        ("**A**", "A"),
        ("A) the mill", "A"),
        ("B. The mill", "B"),
        ("B: the mill", "B"),
        ("The correct answer is (C)", "C"),
        ("The correct answer is C.", "C"),
        ("Answer: D", "D"),
        ("Answer: **D**", "D"),
        ("the choice is B because A is wrong", "B"),
        ("I first thought the answer is A. On reflection, the answer is C", "C"),
        ("Because the text says so:\nC\n", "C"),
        ("Option D", "D"),
        ("Both (A) and (B) fit, so (B)", "B"),
        ("The answer to the question is B.", "B"),
        ("The best answer among these, I believe, is (B).", "B"),
        ("The answer is most likely option C", "C"),
        ("**Answer:** **C**", "C"),
        ("Answer is: [D]", "D"),
        ("The correct option is D", "D"),
        ("The answer is A because the text says so", "A"),
        ("I think it's B.", "B"),
        ("It is most likely C", "C"),
        ("I would take option A because of the mill", "A"),
        ("C because the mill is older", "C"),
        ("A", "A"),
        ("A. A good question", "A"),
    ],
)
def test_the_usual_ways_to_name_a_letter(reply, letter):
    found = parse_letter(reply)
    assert found is not None
    assert (found[0], reply[found[1]]) == (letter, letter)


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("The answer is C. Option A is wrong", "C"),
        ("The answer is C, not A.", "C"),
        ("The correct answer is (B). (A) is wrong", "B"),
        ("The correct answer is B, not option D", "B"),
        ("Answer: A. (Choice B is tempting)", "A"),
        ("The right choice is C. Option A is wrong", "C"),
        ("A. No: on reflection the answer is C", "C"),
        ("C. Because option A is wrong", "C"),
        ("C because option A is wrong", "C"),
        ("**C**\n\nOption A is wrong", "C"),
        ("(C) Choice D is tempting", "C"),
        ("I think it's B. Option A is wrong", "B"),
        ("Not option A, I take option B, not option D", "B"),
        ("The text fits option B (A is wrong, and C is wrong as well)", "B"),
        ("So **B**, not **D**", "B"),
    ],
)
def test_the_stronger_form_decides(reply, letter):
    found = parse_letter(reply)
    assert found is not None
    assert (found[0], reply[found[1]]) == (letter, letter)


@pytest.mark.parametrize(
    "reply",
    [
        "", "   ", "A man went home", "the answer is unclear", "E", "answer is a town", "Dogs", "None of them", "A's",
        "A good question", "Answer: A good question", "The answer is A good one", "It's A long story", "A’s", "A-level",
        "The answer is not A", "It is not option B", "The answer is not (C)", "The answer is Dogs",
        "The text fits option B (A is wrong), (C) as well",
    ],
)  # fmt: skip
def test_a_reply_without_a_letter_names_none(reply):
    assert parse_letter(reply) is None


@given(st.text(max_size=60))
def test_any_text_gives_a_letter_at_its_place_or_none(reply):
    found = parse_letter(reply)
    assert found is None or (found[0] in LETTERS and fold(found[0]) in fold(reply[found[1]]))


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("<think>Is it A? No, B.</think>\n\nThe answer is C.", "C"),
        ("Perhaps A, the answer is A.\n</think>\n\nD", "D"),
        ("<think>A</think> maybe <think>the answer is D", None),
        ("B <thinking>the answer is A</thinking>", None),
        ("<reasoning>\nThe answer is A\n</reasoning>\n<answer>\nC\n</answer>", "C"),
        ("<think></think>\nB", "B"),
        ("◁think▷Answer: A◁/think▷**Answer: B**", "B"),
        (
            "<|channel|>analysis<|message|>It is A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
            "B",
        ),
        ("analysisWe need the mill. The answer is A.assistantfinalC", "C"),
        ("analysisWe need the mill. The answer is A", None),
        ("[THINK]A[/THINK]D", "D"),
        ("<seed:think>A</seed:think>B", "B"),
        ("Here is my thought process: A?\n\nHere is my response: C", "C"),
        ("\\boxed{B}", "B"),
        ("The answer is \\boxed{\\text{B}}.", "B"),
        ("$$\\boxed{\\textbf{(C)}}$$", "C"),
        ("A seems right, but \\boxed{D}", "D"),
        ("\\boxed{A} or \\boxed{B}", None),
        ('```json\n{"answer": "B"}\n```', "B"),
        ("{'final_answer': 'd'}", "D"),
        ('{"reasoning": "Option A says so, the answer is A", "answer": "C"}', "C"),
        ('{"answer": "C. The mill", "confidence": 0.9}', "C"),
        ('{"answer": ["A", "B"]}', None),
        ('{"answer": null}', None),
        ("A is incorrect, B is too. The answer is (d).", "D"),
        ("A can be ruled out. C it is: the answer: c", "C"),
        ("A, B and D are not supported by the text, so the answer must be C", "C"),
        ("Neither A nor B fits; I choose D.", "D"),
        ("A is wrong. B is wrong. C is correct. D is wrong.", "C"),
        ("Eliminating A and B, I would pick option C over option D", "C"),
        ("The answer isn't A, it's C.", "C"),
        ("It cannot be D. It must be B.", "B"),
        ("A) the mill\nB) the town\nC) the lake\nD) the road\n\nAnswer: C", "C"),
        ("A) the mill\nB) the town\nC) the lake\nD) the road", None),
        ("A. the mill\nB. the town\n\n**Answer: B. the town**", "B"),
        ("Answer choices:\nA. x\nB. y\nAnswer: B", "B"),
        ("**B**", "B"),
        ("__B__", "B"),
        ("`C`", "C"),
        ("“D”", "D"),
        ("- C", "C"),
        ("### B", "B"),
        ("> A", "A"),
        ("**The correct answer is (B) the mill.**", "B"),
        ("答案:B", "B"),
        ("答案:Ｂ", "B"),
        ("正确答案是（Ｄ）", "D"),
        ("选B。", "B"),
        ("因此,正确答案选C", "C"),
        ("答案不是A而是B", "B"),
        ("选项A错误，选项C也错误，所以选D。", "D"),
        ("A和C都不正确，答案为B", "B"),
        ("B项正确", "B"),
        ("A或B", None),
        ("答えはCです", "C"),
        ("正解はBです。", "B"),
        ("答えはAではなくCです", "C"),
        ("Ｃ", "C"),
        ("정답은 B입니다.", "B"),
        ("정답: D", "D"),
        ("A가 아니라 C", None),
        ("답은 A가 아니라 C입니다", "C"),
        ("Antwort: D", "D"),
        ("Die richtige Antwort ist B.", "B"),
        ("Die Antwort ist nicht A, sondern C.", "C"),
        ("Antwort A ist falsch. Die richtige Antwort lautet: b", "B"),
        ("Réponse : A", "A"),
        ("La bonne réponse est la C.", "C"),
        ("C'est la réponse D.", "D"),
        ("La réponse n'est pas A mais B.", "B"),
        ("Respuesta: C", "C"),
        ("La respuesta correcta es la opción B porque el texto lo dice.", "B"),
        ("La opción A es incorrecta. Respuesta: D", "D"),
        ("Resposta: A", "A"),
        ("A resposta correta é B.", "B"),
        ("A alternativa correta é D", "D"),
        ("Risposta: B", "B"),
        ("La risposta corretta è (C)", "C"),
        ("Ответ: C", "C"),
        ("Правильный ответ — B.", "B"),
        ("Ответ не A, а D.", "D"),
        ("Het juiste antwoord is B", "B"),
        ("الإجابة: B", "B"),
        ("الإجابة الصحيحة هي (C)", "C"),
        ("उत्तर: B", "B"),
        ("सही उत्तर C है", "C"),
        ("उत्तर A नहीं है", None),
        ("คำตอบ: A", "A"),
        ("คำตอบคือ D", "D"),
        ("คำตอบที่ถูกต้องคือข้อ B", "B"),
        ("Đáp án: B", "B"),
        ("Đáp án đúng là C.", "C"),
        ("Jawaban: A", "A"),
        ("Jawabannya adalah B", "B"),
        ("Cevap: D", "D"),
        ("উত্তর: C", "C"),
        ("Jibu: A", "A"),
        ("Ìdáhùn: B", "B"),
        ("תשובה: C", "C"),
        ("پاسخ: B", "B"),
        ("Odpowiedź: D", "D"),
        ("Svar: A", "A"),
        ("Απάντηση: B", "B"),
        ("Відповідь: A", "A"),
        ("Answer: A\n\nWait, the answer is B", None),
        ("Answer: A. Wait. Final answer: B", "B"),
        ("The answer is A or B.", None),
        ("Answer: A, B", None),
        ("Either B or C.", None),
        ("A/B", None),
        ("(A) and (B)", None),
        ("The answer is A and the answer is A", "A"),
        ("I cannot answer.", None),
        ("I think a good answer is hard to find.", None),
        ("A good answer is B.", "B"),
        ("Vitamin C is needed.", None),
        ("The code is written in C++.", None),
        ("Washington D.C.", None),
        ("It is 25 ℃ here", None),
        ("A Tale of Two Cities", None),
        ("Answer: a", "A"),
        ("(b)", "B"),
        ("c)", "C"),
        ("d", "D"),
        ("The correct answer is (A)", "A"),
        ("The correct answer is D because A is wrong", "D"),
        ("The correct answer is **(B)**", "B"),
        ("b is the answer", None),
        ("Correct: B", None),
        ("The best choice is therefore C", "C"),
        ("My final answer is option d.", "D"),
        ("𝐁", "B"),
        ("Ⓒ", "C"),
        ("B", "B"),
        ("A.", "A"),
        ("C<|im_end|>", "C"),
        ("D</s>", "D"),
        ("The answer is: \n\n**C. The mill**", "C"),
        ("Answer – B", "B"),
        ("Answer → C", "C"),
        ("The answer is not clear.", None),
        ("All except C", None),
        ("Option B is better supported than option A, so B.", "B"),
        ("Choice: D", "D"),
        ("So the correct option should be (A).", "A"),
        ("The answer would be A.", "A"),
        ("Based on the passage, the correct answer is C) 1984.", "C"),
        ("The text does not say, so A is possible and B is possible", None),
        ("I'd say B.", None),
        ("Only B fits.", None),
        ("B fits best.", None),
        ("C\n\nExplanation: A is wrong because D says so.", "C"),
        ("C\n\nA. not in the text\nB. not in the text\nC. the text says so\nD. false", "C"),
        (
            "Let's look at each option.\n\nOption A: The text says the mill is old. This is not mentioned.\n"
            "Option B: The mill burnt down. This matches the text.\nOption C: wrong.\nOption D: wrong.\n\n"
            "Therefore, the correct answer is **B**.",
            "B",
        ),
        (
            "Let's analyze:\n- A: incorrect, since ...\n- B: correct\n- C: incorrect\n- D: incorrect\n\n"
            "The correct answer is (B)",
            "B",
        ),
        ("- A: incorrect\n- B: correct\n- C: incorrect", "B"),
        ("The correct answer is (C) It was sold in 1984 because A and B are not mentioned.", "C"),
        ("The correct answer is (C). Option B might seem right, but the answer is not B.", "C"),
        ("Based on the passage, I believe the answer is A. This is because the text says D was false.", "A"),
        ("The answer is A, because of what the author says in chapter B.", "A"),
        ("Answer: C (not A)", "C"),
        ("Question: What? A. x1 B. x2 C. x3 D. x4\nAnswer: D. x4", "D"),
        ("The answer is: A. The mill", "A"),
        ("The passage supports choice D.", "D"),
        ("The author is B. Smith, so the answer is C.", "C"),
        ("I would say that the most fitting option is C, as the text says.", "C"),
        ("D - the mill", "D"),
        ("D — the mill", "D"),
        ("[C]", "C"),
        ("Choice (A)", "A"),
        ("answer is b) the mill", "B"),
        ("The correct answer is C.\n\nFinal Answer: C", "C"),
        ("**Final Answer**\n\n(B)", "B"),
        ("### Final answer: **D**", "D"),
        ("Final answer\nC", "C"),
        ("The final answer is $\\boxed{A}$. I hope it is correct.", "A"),
        ("Yes, B is correct. No, A isn't.", "B"),
        ("The answer is option 2", None),
        ("The answer is None of the above", None),
        ("N/A", None),
        ("E", None),
        ("The correct answer is A, B, C, and D.", None),
        ("Both A and B are correct.", None),
        ("It's a tie", None),
        ("So a man came.", None),
        ("Answer: a man", None),
        ("The text is about Plan B. The answer is D.", "D"),
        ("答案是:**C**", "C"),
        ("答:A", "A"),
        ("选择(C)", "C"),
        ("故选:D", "D"),
        ("正确答案:C.因为A不对", "C"),
        ("我认为B是正确的", "B"),
        ("本题选C", "C"),
        ("A. 磨坊", "A"),
        ("B、磨坊", "B"),
        ("Die Antwort ist C, da A falsch ist.", "C"),
        ("Meiner Meinung nach ist B richtig.", "B"),
        ("La réponse correcte est donc B.", "B"),
        ("La respuesta correcta es: **C**", "C"),
        ("Правильный ответ: В", None),
        ("Correct answer: C. Confidence: 90%", "C"),
        ('{\n  "reasoning": "The text...",\n  "answer": "B"\n}', "B"),
        ("answer: C\nconfidence: high", "C"),
        ("The answer is B\n\nThe answer is B", "B"),
        ("My choice is (d).", "D"),
        ("The best answer is D) All of the above", "D"),
        ("The correct answer is not (A) but rather (C).", "C"),
        ("A? No. B? No. C? Yes.", None),
        ("Is it A? The answer is B.", "B"),
        ("The right answer: C!", "C"),
        ("C!", "C"),
        ("C?", None),
        ("Could the answer be A? No.", None),
        ("The statement that is NOT true is C.", None),
        ("It must be either B or D. D is ruled out. So B.", None),
        ("The answer is unlikely to be A. It must be D", "D"),
        ("If the answer were A, the text would say so. The answer is C.", "C"),
        ("If the answer is A, the mill is old. It is not, so B.", "B"),
        ("The wrong answer is A. Answer: B", "B"),
        ("The incorrect option is B", None),
        ("如果答案是A,那么磨坊很旧。答案是C", "C"),
    ],
)
def test_replies_of_todays_models(reply, letter):
    found = parse_letter(reply)
    assert (found and found[0]) == letter
    assert found is None or fold(reply[found[1]]) == fold(letter)


def test_the_shared_cases(cases):
    for line in (cases / "replies.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        found = parse_letter(case["reply"])
        assert (found and found[0]) == case["letter"], case["reply"]


TRACES = [
    "<think>The answer is A.</think>", "<thinking>\nB\n</thinking>\n\n", "Not C: the answer is D.</think>\n",
    "<reasoning>Answer: C</reasoning>", "◁think▷A or B◁/think▷", "[THINK]D[/THINK]", "<think></think>",
    "<|channel|>analysis<|message|>It is A.<|end|><|start|>assistant<|channel|>final<|message|>",
    "analysisWe need B.assistantfinal", "<think>x</think><think>The answer is C</think>",
]  # fmt: skip
WRAPPERS = [
    "{}", "{}.", "({})", "**{}**", "Answer: {}", "The correct answer is ({})", "The correct answer is {}",
    "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$", '{{"answer": "{}"}}', "<answer>{}</answer>",
    "答案:{}", "答えは{}です", "정답은 {}", "Antwort: {}", "Réponse : {}", "Respuesta: {}", "Resposta: {}",
    "Risposta: {}", "Ответ: {}", "الإجابة: {}", "उत्तर: {}", "คำตอบ: {}",
    "I choose {}.", "It is {}.", "{} is correct.", "Option {}", "{}) the mill", "{}\n\nOption {} it is.",
]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(LETTERS), st.sampled_from(WRAPPERS), st.sampled_from(TRACES))
def test_a_letter_in_any_form_is_read_and_reasoning_before_it_changes_nothing_but_its_place(letter, wrapper, trace):
    reply = wrapper.format(letter, letter)
    found = parse_letter(reply, 10)
    assert found is not None
    assert found[0] == letter
    assert parse_letter(trace + reply, 10) == (letter, len(trace) + found[1])


@settings(deadline=None)
@given(st.sampled_from(WRAPPERS), st.sampled_from(WRAPPERS), st.permutations(LETTERS))
def test_permuting_the_letters_permutes_the_answer(first, second, permuted):
    def answers(letters):
        reply = (
            f"{first.format(letters[0], letters[0])}\n{letters[1]} is wrong.\n{second.format(letters[2], letters[2])}"
        )
        found = parse_letter(reply, 10)
        return found and found[0]

    before = answers(LETTERS)
    assert answers(permuted) == (before and permuted[LETTERS.index(before)])


@settings(deadline=None)
@given(st.sampled_from(LETTERS), st.sampled_from(LETTERS), st.sampled_from(WRAPPERS))
def test_two_letters_in_one_form_are_no_answer(one, other, wrapper):
    found = parse_letter(f"Answer: {one}.\nThe answer is {other}", 10)
    assert (found and found[0]) == (one if one == other else None)
    rejected = parse_letter(f"{wrapper.format(one, one)}\nSo it is not {one}.", 10)
    assert rejected is None or rejected[0] == one


@pytest.mark.parametrize("trace", TRACES)
def test_a_reply_that_ends_inside_its_reasoning_is_cut_off(trace):
    assert after_reasoning(trace) == len(trace.rstrip())
    assert after_reasoning(f"{trace}C<think>") is None
    assert parse_letter(f"{trace}C<think>The answer is B") is None


@pytest.mark.parametrize(
    ("reply", "choices", "letter"),
    [
        ("The answer is B", 2, "B"),
        ("The answer is C", 2, None),
        ("B. Option C is wrong", 2, "B"),
        ("E", 5, "E"),
        ("e", 5, "E"),
        ("The answer is E.", 5, "E"),
        ("The answer is E.", 4, None),
        ("(E) is correct, not A", 5, "E"),
        ("E because the mill is older", 5, "E"),
        ("E a resposta é C.", 5, "C"),
        ("E la risposta corretta è D", 5, "D"),
        ("Answer: j", 10, "J"),
        ("A and J are wrong. The answer is H", 10, "H"),
        ("The answer is I", 10, "I"),
        ("I is correct", 10, "I"),
        ("I think it's B.", 10, "B"),
        ("I would go with F.", 10, "F"),
        ("I", 10, "I"),
        ("I. The mill", 10, "I"),
        ("In my view, i.e. as I see it, the answer is G", 10, "G"),
        ("It is either I or J", 10, None),
        ('{"answer": "F"}', 10, "F"),
        ("\\boxed{h}", 10, "H"),
        ("The answer is f", 10, "F"),
        ("K", 10, None),
    ],
)
def test_the_letters_are_those_of_the_question(reply, choices, letter):
    found = parse_letter(reply, choices)
    assert (found and found[0]) == letter


@settings(deadline=None)  # the first reply with so many choices compiles their patterns
@given(st.integers(2, 10), st.sampled_from(WRAPPERS), st.sampled_from(LETTERS))
def test_a_letter_is_read_if_a_choice_has_it(choices, wrapper, letter):
    found = parse_letter(wrapper.format(letter, letter), choices)
    assert (found and found[0]) == (letter if letter in LETTERS[:choices] else None)


@given(st.lists(st.floats(-200, 5), min_size=2, max_size=10))
def test_probabilities_sum_to_one_and_keep_the_order(logprobs):
    found = choice_probabilities(logprobs)
    assert sum(found) == pytest.approx(1)
    assert max(found) == found[logprobs.index(max(logprobs))]


@pytest.mark.parametrize(
    "logprobs", [[], [0.0], [[0.0, 0.0]], [0.0, 0.0, 0.0, float("nan")], [0.0, 0.0, 0.0, float("-inf")]]
)
def test_probabilities_need_two_or_more_finite_numbers(logprobs):
    with pytest.raises(ValueError, match="two or more finite"):
        choice_probabilities(logprobs)


# Letters that are denied, doubted, taken back, or stand beside others.
OPEN = [
    "I don't think the answer is A.",
    "It is not true that the answer is A.",
    "It is false that A is correct.",
    "I doubt the answer is B.",
    "I'm not sure the answer is B.",
    "There is no evidence that option C is correct.",
    "The passage does not say that B is correct.",
    "I can't say that the answer is A.",
    "Nobody says A is correct.",
    "I am unsure if it is B.",
    "答えはAではありません",
    "Aは正しくない",
    "Aが正しいとは言えない",
    "A는 정답이 아닙니다",
    "A는 정답이 될 수 없다",
    "答案不可能是A",
    "我不认为答案是A",
    "没有证据表明A正确",
    r"\boxed{A \text{ or } B}",
    "The answer is A (or B)",
    "Answer: A (most likely) or C",
    "The answer is A, possibly B",
    "The answer is probably A, but could be B",
    "The answer is A. Or maybe B.",
    "The answer might be B or it might be C.",
    "If the mill is old, the answer is A; otherwise B.",
    "The answer is A to D",
    "The answer is A–C",
    "The answer is A→B→C",
    "Answer: B > C",
    "The answer is A, no wait, B.",
    "The answer is A, I mean B.",
    "The answer is A - no, B.",
    "The answer is A. Correction: B.",
    "Answer: A\n\nCorrection: C",
    "My initial answer is A. After re-reading, I choose B.",
    "B\n\nNo, A.",
    "One might say the answer is A. However, I choose C.",
    "(A) (B) (C)",
    "[A]\n[B]",
    "A. or B.",
    "A. B. C. D.",
    "A\nB",
    "A\n\nB\n\nC",
    "Answer: A\nB",
    "A: no, B: yes",
    '{"A": 0.1, "B": 0.9}',
    '{"answer": {"A": 0.1, "B": 0.9}}',
    "My ranking: B > A > C > D",
    "Although A is correct in part, I'd go with D.",
    r"The answer is $A = \pi r^2$",
    r"\boxed{A=5}",
    "Answer: ~B",
]


@pytest.mark.parametrize("reply", OPEN)
def test_a_letter_that_is_denied_or_stands_beside_others_is_no_answer(reply):
    assert parse_letter(reply) is None


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Answer: A ✗, B ✓", "B"),
        ("The answer is C. Option A is too narrow.", "C"),
        ("The answer is C because A is about mills.", "C"),
        ("The answer is C. There is no mention of A.", "C"),
        ("It is not easy to tell, but the answer is B.", "B"),
        ("I can't find the name, so the answer is B.", "B"),
    ],
)
def test_other_letters_beside_an_answer_that_stands_leave_it(reply, letter):
    found = parse_letter(reply)
    assert found is not None
    assert found[0] == letter
