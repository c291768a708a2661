"""Classifies the differences between two responses, after masking names, uids, times, versions and allocated addresses."""

import json
import re

MASKED = {"uid", "resourceVersion", "creationTimestamp", "deletionTimestamp", "time", "lastTransitionTime", "continue", "clusterIP", "nodePort"}
MASKED |= {"healthCheckNodePort"}
# Maps with user-defined keys.
USER_KEYS = {"labels", "annotations", "data", "stringData", "binaryData", "matchLabels", "selector", "nodeSelector", "parameters", "limits", "requests"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
AGE = re.compile(r"^(\d+[smhd])+$|^<invalid>$")


def normal(answer, run):
    """Returns the response with all values masked in which two equal servers may differ."""
    text = json.dumps(answer)
    for uid in set(re.findall(r'"uid": "([0-9a-f-]{36})"', text)):
        text = text.replace(uid, "UID")
    return mask(json.loads(TIME.sub("TIME", text).replace(run, "RUN")))


def mask(value, key=""):
    if isinstance(value, dict):
        masked = {k: mask(v, k) for k, v in value.items()}
        if "managedFields" in masked and isinstance(masked["managedFields"], list):
            masked["managedFields"].sort(key=entry_key)
        return masked
    if isinstance(value, list):
        if key == "clusterIPs":
            return ["MASKED" for _ in value]
        if key == "cells":
            return ["AGE" if isinstance(v, str) and AGE.match(v) else v for v in value]
        return [mask(v) for v in value]
    if key in MASKED and value not in (None, "", 0, "None"):
        return "MASKED"
    return value


def entry_key(entry):
    return "/".join(str(entry.get(k, "")) for k in ("manager", "operation", "subresource", "apiVersion"))


def field(path):
    """Returns a field path without indexes and keys."""
    return re.sub(r"\[[^\]]*\]", "[]", path or "")


def message_class(message):
    """Returns the sorted parts of a message, without quoted values and numbers."""
    message = re.sub(r'"(?:[^"\\]|\\.)*"', '""', message or "")
    message = re.sub(r"Invalid value: (null|\[\]|\{\})(?=: )", "Invalid value: …", message)
    message = re.sub(r"Invalid value: (?!\"\")[^:]*(\{.*\}|\[.*\]|\w+)", "Invalid value: …", message)
    # Several errors are listed in brackets, in no fixed order.
    message = message.replace(" is invalid: [", " is invalid: , ").removesuffix("]")
    return sorted(re.sub(r"\d+", "N", message).split(", "))


def causes(status):
    return {(c.get("reason", ""), field(c.get("field", ""))) for c in (status.get("details") or {}).get("causes") or []}


def is_status(code, body):
    return code >= 400 and isinstance(body, dict) and body.get("kind") == "Status"


def summary(code, body):
    """Returns the code of a response, and for an error the reason and the first field that it names."""
    if not is_status(code, body):
        return str(code)
    first = sorted(causes(body), key=lambda cause: (cause[1], cause[0]))
    if first:
        return f"{code} ({first[0][0].removeprefix('FieldValue')} {first[0][1]})"
    return f"{code} {body.get('reason', '')}".strip()


def differences(real, embedded, run):
    """Returns the classes of differences between two responses (code, body, warnings), each with an example line."""
    (real_code, real_body, real_warnings), (code, body, warnings) = real, embedded
    real_body, body = normal(real_body, run), normal(body, run)
    found = []

    def differs(what, left, right):
        found.append((what, f"real {brief(left)} | embedded {brief(right)}"))

    if real_code != code:
        differs(f"status: {summary(real_code, real_body)} ≠ {summary(code, body)}", shown(real_code, real_body), shown(code, body))
        return found
    if len(real_warnings) != len(warnings):
        differs("number of warnings", real_warnings, warnings)
    elif sorted(map(message_class, real_warnings)) != sorted(map(message_class, warnings)):
        differs("warnings", real_warnings, warnings)
    if is_status(code, real_body) and is_status(code, body):
        if real_body.get("reason") != body.get("reason"):
            differs(f"reason of {code}: {real_body.get('reason')} ≠ {body.get('reason')}", real_body.get("message"), body.get("message"))
        elif causes(real_body) != causes(body):
            only = [f"{sign}{reason.removeprefix('FieldValue')} {path}" for sign, reason, path in sides(causes(real_body), causes(body))]
            differs(f"causes of {code}: {', '.join(only[:3])}", real_body.get("message"), body.get("message"))
        elif message_class(real_body.get("message")) != message_class(body.get("message")):
            differs(f"message of {summary(code, real_body)}", real_body.get("message"), body.get("message"))
        else:
            for key in ("name", "group", "kind", "retryAfterSeconds"):
                left, right = ((b.get("details") or {}).get(key) for b in (real_body, body))
                if left != right:
                    differs(f"details.{key} of {code}", left, right)
        return found
    kinds = [b.get("kind") if isinstance(b, dict) else "text" for b in (real_body, body)]
    if kinds[0] != kinds[1]:
        differs(f"body: kind {kinds[0]} ≠ {kinds[1]}", real_body, body)
        return found
    seen = set()
    for path, left, right in walk(real_body, body, ""):
        if path not in seen:
            seen.add(path)
            differs(f"body: {path}", left, right)
    return found


def sides(left, right):
    """Returns the items in only one of the two sets: `-` if the embedded server lacks it, `+` if it adds it."""
    return [("-", *item) for item in sorted(left - right)] + [("+", *item) for item in sorted(right - left)]


def walk(left, right, path):
    """Yields the paths at which two bodies differ, with both values."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            shown_key = "*" if path.rsplit(".", 1)[-1] in USER_KEYS else key
            below = f"{path}.{shown_key}" if path else shown_key
            if key not in right:
                yield f"-{below}", left[key], None
            elif key not in left:
                yield f"+{below}", None, right[key]
            elif key == "managedFields":
                yield from walk_managed(left[key] or [], right[key] or [], below)
            else:
                yield from walk(left[key], right[key], below)
    elif isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            yield f"{path}[] (length)", left, right
        else:
            for one, other in zip(left, right):
                yield from walk(one, other, f"{path}[]")
    elif left != right or type(left) is not type(right):
        yield path, left, right


def walk_managed(left, right, path):
    left, right = ({entry_key(e): e for e in side} for side in (left, right))
    for sign, key in sides({(k,) for k in left}, {(k,) for k in right}):
        operation = key.split("/")[1]
        yield f"{path}: {sign}entry {operation} {key.split('/')[2]}".rstrip(), left.get(key), right.get(key)
    for key in sorted(left.keys() & right.keys()):
        for sign, leaf in sides(leaves(left[key].get("fieldsV1")), leaves(right[key].get("fieldsV1"))):
            yield f"{path}: {sign}{leaf}", sorted(leaves(left[key].get("fieldsV1"))), sorted(leaves(right[key].get("fieldsV1")))


def leaves(fields, path=""):
    """Returns the owned paths of a field set, as 1-tuples, without keys and values of items."""
    if not fields:
        return {(path,)}
    found = set()
    for key, below in fields.items():
        step = key.removeprefix("f:") if key.startswith("f:") else key.split(":")[0]
        step = "*" if path.rsplit(".", 1)[-1] in USER_KEYS and key.startswith("f:") else step
        found |= leaves(below, f"{path}.{step}" if path else step)
    return found


def brief(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 500 else text[:497] + "…"


def shown(code, body):
    return f"{code} {body.get('message', '')}" if is_status(code, body) else f"{code}"
