"""Croissant metadata of a release (https://docs.mlcommons.org/croissant/docs/croissant-spec-1.0.html)."""

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from plancheck.release.tables import KEYS

CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    profile: str, version: str, schemas: Mapping[str, pa.Schema], digests: Mapping[str, str]
) -> dict[str, Any]:
    """The released tables of data/ as a Croissant 1.0 dataset; columns of spans are in the data dictionary alone.

    Args:
        profile: of the study.
        version: of plancheck.
        schemas: the columns of the released tables, by name.
        digests: SHA-256 of data/NAME.parquet, by name.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": f"plancheck-{profile}",
        "description": "Per-question results of a plancheck study, without any text of its benchmark.",
        "license": "https://www.apache.org/licenses/LICENSE-2.0",
        "url": "https://pypi.org/project/plancheck/",
        "version": version,
        "citeAs": "See CITATION.cff.",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": f"data/{name}.parquet",
                "name": f"data/{name}.parquet",
                "contentUrl": f"data/{name}.parquet",
                "encodingFormat": "application/x-parquet",
                "sha256": digests[name],
            }
            for name in sorted(schemas)
        ],
        "recordSet": [record_set(name, schemas[name]) for name in sorted(schemas)],
    }


def record_set(name: str, columns: pa.Schema) -> dict[str, Any]:
    fields = [field for field in columns if not pa.types.is_nested(item(field.type))]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{column}"} for column in KEYS[name]],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{field.name}",
                "name": f"{name}/{field.name}",
                "description": field.metadata[b"meaning"].decode("utf-8"),
                "dataType": data_type(item(field.type)),
                "source": {"fileObject": {"@id": f"data/{name}.parquet"}, "extract": {"column": field.name}},
                **({"repeated": True} if pa.types.is_list(field.type) else {}),
            }
            for field in fields
        ],
    }


def item(kind: pa.DataType) -> pa.DataType:
    """The type of a list's items, or the type itself."""
    return kind.value_type if pa.types.is_list(kind) else kind


def data_type(kind: pa.DataType) -> str:
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
