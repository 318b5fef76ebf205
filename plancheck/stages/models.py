"""Stage ``models``: every role's model resolved, put under models/weights and pinned in models/lock.json."""

import logging
import re
import shutil
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from plancheck.backends.conversion import convert_gguf
from plancheck.backends.folders import copy_model, model_files, tokenizer_files
from plancheck.backends.models import LOCK, WEIGHTS, made_once
from plancheck.backends.places import located
from plancheck.backends.reranker_tuning import THREADS, from_encoder, tune_reranker
from plancheck.backends.tuning_pairs import tuning_pairs
from plancheck.benchmark.controlled import generate, read_lexicon
from plancheck.params.models import HubModel, ServedModel, TunedModel, WheelModel
from plancheck.params.section import Section
from plancheck.params.selectors import PlannerSelector, Selector
from plancheck.params.study import Params
from plancheck.plumbing.digests import digest, file_sha256
from plancheck.plumbing.errors import StudyError, all_problems
from plancheck.plumbing.files import replacing, write_json

LEXICON = Path(__file__).parents[1] / "benchmark/lexicon.yaml"  # not benchmark.path: new questions need no new models
LIBRARIES = ("gguf", "safetensors", "sentence-transformers", "tokenizers", "torch", "transformers")

log = logging.getLogger("plancheck.models")


def run(params: Params) -> None:
    """Fill models/weights and write models/lock.json, last: a killed run leaves no lock.

    Raises:
        StudyError: a model is not there, is not the pinned one or has no safe weights; all of them are listed.
    """
    specs: dict[str, Section] = dict(sorted(params.models.items()))
    # All that can be missing is looked for before anything is removed or takes long.
    found = located(set(specs.values()))
    servers = probes([spec for spec in found if isinstance(spec, ServedModel)])
    shutil.rmtree(WEIGHTS, ignore_errors=True)
    LOCK.unlink(missing_ok=True)
    entries: dict[Section, dict[str, Any]] = {}
    # Tuned models last: they need their encoder.
    for spec in sorted(set(specs.values()), key=lambda spec: (isinstance(spec, TunedModel), repr(spec))):
        if isinstance(spec, ServedModel):
            entries[spec] = put_served(spec, servers[spec])
        else:
            entries[spec] = resolve(spec, found.get(spec), params, entries)
    refuse_misfits(params.selectors, {role: LOCK.parent / entries[spec]["path"] for role, spec in specs.items()})
    slugs = {role: Path(entries[spec]["path"]).name for role, spec in specs.items()}
    pinned = {Path(entry["path"]).name: entry for entry in entries.values()}
    write_json(LOCK, {"environment": versions(), "models": pinned, "roles": slugs})
    log.info("%d models pinned in %s", len(pinned), LOCK)


def resolve(
    spec: Section, place: Path | None, params: Params, entries: Mapping[Section, dict[str, Any]]
) -> dict[str, Any]:
    """Put the model of ``spec`` under models/weights; its entry in the lock.

    Args:
        place: where its files are; None for a tuned model.
        entries: of the models resolved before it.
    """
    if isinstance(spec, TunedModel):
        recipe, folder = tuned(spec, params, entries[params.models[spec.encoder]])
        return put(folder, "tuned", "reranker", recipe)
    if place is None:
        raise ValueError(f"no place for a {type(spec).__name__}")
    match spec:
        case WheelModel():
            folder = place if place.is_dir() else converted(place, spec.sha256)
            return put(folder, "wheel", spec.package, spec.version)
        case HubModel():
            return put(place, "hub", spec.repo, spec.revision)
    return put(place, "path", place.resolve().name, None)


def refuse_misfits(selectors: Mapping[str, Selector], folders: Mapping[str, Path]) -> None:
    """Refuse adapters of other models than those that selectors put them on.

    Raises:
        StudyError: there is such a selector; all are listed.
    """
    problems = []
    for name, selector in selectors.items():
        if isinstance(selector, PlannerSelector) and "adapter" in selector.roles:
            from plancheck.backends.adapters import check_fit  # which loads torch and PEFT

            base, adapter = (selector.roles[field] for field in ("model", "adapter"))
            try:
                check_fit(folders[base], folders[adapter])
            except StudyError as error:
                problems.append(f"selectors.{name}: adapter {adapter!r} on model {base!r}: {error}")
    if problems:
        raise all_problems(
            "selectors: adapters cannot be used with their models:",
            problems,
            remedy="Name a LoRA adapter in safetensors, and as model the one that it was trained on "
            "(base_model_name_or_path in its adapter_config.json).",
        )


def probes(specs: Sequence[ServedModel]) -> dict[ServedModel, dict[str, Any]]:
    """What the servers of served models are found to be.

    Raises:
        StudyError: servers are not there, or are not what they should be; all of them are listed.
    """
    if not specs:
        return {}
    from plancheck.backends.served.probing import probed  # a second, for studies with a server alone

    found: dict[ServedModel, dict[str, Any]] = {}
    problems = []
    for spec in specs:
        try:
            found[spec] = probed(spec)
        except StudyError as error:
            problems.append(str(error))
    if len(problems) == 1:
        raise StudyError(problems[0])
    if problems:
        raise all_problems("models: not every server is to be used:", problems, remedy="Then run it again.")
    for spec, server in found.items():
        told = server["identity"]
        log.info("served %s at %s: likelihood by %s, %d likeliest tokens told, repeated replies alike %s of %d times",
                 spec.model, spec.base_url, told["likelihood"] or "nothing", told["weighed"],
                 server["repeats"]["alike"], server["repeats"]["asked"])  # fmt: skip
    return found


def put_served(spec: ServedModel, server: dict[str, Any]) -> dict[str, Any]:
    """The lock's entry of a served model, its tokenizer's files copied under models/weights.

    The address is not in it: the same model served elsewhere is the same.
    """
    names = tokenizer_files(spec.tokenizer) if spec.tokenizer else []
    files = {name: file_sha256(spec.tokenizer / name) for name in names} if spec.tokenizer else {}
    found = digest({"server": server["identity"], "files": files})
    slug = f"served-{slug_of(spec.model)}-{found[:12]}"
    for name in names:
        (WEIGHTS / slug).mkdir(parents=True, exist_ok=True)
        shutil.copyfile((spec.tokenizer or Path()) / name, WEIGHTS / slug / name)
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    path = (WEIGHTS / slug).relative_to(LOCK.parent).as_posix()
    return {"source": "served", "name": spec.model, "revision": found, "path": path, "files": files, "served": server}


def slug_of(name: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")


def put(folder: Path, source: str, name: str, revision: str | None) -> dict[str, Any]:
    """Copy a model folder under models/weights; its entry in the lock. Without a revision the files' digest is it."""
    files = {file: file_sha256(folder / file) for file in model_files(folder)}
    slug = f"{slug_of(name)}-{digest(files)[:12]}"
    log.info("%s %s -> %s", source, name, WEIGHTS / slug)
    if not (WEIGHTS / slug).exists():
        with replacing(WEIGHTS / slug) as temporary:
            copy_model(folder, temporary)
    path = (WEIGHTS / slug).relative_to(LOCK.parent).as_posix()
    return {"source": source, "name": name, "revision": revision or digest(files), "path": path, "files": files}


def converted(gguf: Path, sha256: str) -> Path:
    """The Transformers folder of a GGUF file, converted at most once on a machine."""

    def make(target: Path) -> None:
        log.info("converting %s (once; about 20 s)", gguf.name)
        convert_gguf(gguf, target)

    return made_once({"step": "convert_gguf 1", "sha256": sha256, "versions": versions()}, make)


def tuned(spec: TunedModel, params: Params, encoder: dict[str, Any]) -> tuple[str, Path]:
    """Digest of the recipe, and the folder of the cross-encoder, tuned at most once on a machine."""
    knobs = params.benchmark.controlled.model_copy(update={"questions": spec.questions})
    benchmark = generate(knobs, read_lexicon(LEXICON), seed=spec.seed)
    pairs = tuning_pairs(benchmark, negatives=spec.negatives, seed=spec.seed)
    recipe = {
        "step": "tune_reranker 2",
        "threads": THREADS,
        "encoder": encoder["files"],
        "settings": spec.model_dump(exclude={"encoder"}),
        "pairs": digest({"pairs": [[pair.query, pair.text, pair.label] for pair in pairs]}),
        "versions": versions(),
    }

    def make(target: Path) -> None:
        log.info("tuning the reranker on %d pairs (once; about a minute)", len(pairs))
        tune_reranker(
            from_encoder(LOCK.parent / encoder["path"]),
            pairs,
            target,
            epochs=spec.epochs,
            batch_size=spec.batch_size,
            learning_rate=spec.learning_rate,
            seed=spec.seed,
            device="cpu",  # where every user's machine makes the same reranker as far as it can
            remedy="Change the tuned model in conf/models (questions, learning_rate, seed) or "
            "benchmark.controlled.context_chars.",
        )

    return digest(recipe), made_once(recipe, make)


def versions() -> dict[str, str]:
    """Installed versions of the libraries that decide the numbers."""
    return {name: metadata.version(name) for name in LIBRARIES}
