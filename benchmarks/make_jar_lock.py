"""Writes esdedup/local/jars.lock: every jar of one Elasticsearch, resolved from Maven, with size and SHA-256.

python -m benchmarks.make_jar_lock 9.5.3     (run by a maintainer for each new version)
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from jgo.maven import Dependency, MavenContext

PARTS = {
    "lib": ("org.elasticsearch", "elasticsearch"),
    "modules/transport-netty4": ("org.elasticsearch.plugin", "transport-netty4"),
}


def resolved(context: MavenContext, group: str, artifact: str, version: str) -> list[Any]:
    component = context.project(group, artifact).at_version(version)
    inputs, dependencies = context.resolver.resolve([Dependency(component.artifact())])
    return [one.artifact for one in (*inputs, *dependencies) if one.scope not in ("test", "provided")]


def entry(artifact: Any, folder: str) -> dict[str, object]:
    content = Path(artifact.resolve()).read_bytes()
    return {
        "group": artifact.groupId,
        "artifact": artifact.artifactId,
        "version": artifact.version,
        "folder": folder,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def main() -> None:
    version = sys.argv[1]
    jars: dict[tuple[str, str], dict[str, object]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        context = MavenContext(repo_cache=Path(scratch), timeout=60)
        for folder, (group, name) in PARTS.items():
            for artifact in resolved(context, group, name, version):
                jars.setdefault((artifact.groupId, artifact.artifactId), entry(artifact, folder))
    lock = {"version": version, "jars": [jars[key] for key in sorted(jars)]}
    target = Path(__file__).parents[1] / "esdedup" / "local" / "jars.lock"
    target.write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")
    print(f"{len(jars)} jars")


if __name__ == "__main__":
    main()
