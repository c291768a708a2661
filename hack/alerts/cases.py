"""Prints the cases of cases.tsv as a test of promtool: cases.py CASES RULES NAME

RULES is a PrometheusRule of the operator NAME. Fails if one of its alerts has no case that raises it.
"""

import json
import re
import sys


def series(text, job):
    """A series with its values, and the label by which alerts know the operator."""
    name, values = re.fullmatch(r"(\S+?\{.*\}) (.*)", text).groups()
    return {"series": name.replace("{", f'{{job="{job}",', 1), "values": values}


def case(line, job):
    """A test from a line of the table."""
    alert, severity, quiet, firing, labels, values = line.split("\t")
    expression = f'ALERTS{{alertname="{alert}",alertstate="firing"}}'
    own = [labels] if labels else []
    own += [f'alertname="{alert}"', 'alertstate="firing"', f'operator="{job}"', f'severity="{severity}"']
    raised = [{"labels": f"ALERTS{{{','.join(own)}}}".replace("JOB", job), "value": 1}]
    return {
        "name": f"{alert}: {labels}",
        "interval": "1m",
        "input_series": [series(text, job) for text in values.split(" ; ")],
        "promql_expr_test": [
            {"expr": expression, "eval_time": f"{quiet}m", "exp_samples": []},
            {"expr": expression, "eval_time": f"{firing}m", "exp_samples": [] if labels == "-" else raised},
        ],
    }


def main():
    path, rules, job = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    with open(rules, encoding="utf-8") as file:
        alerts = re.findall(r"- alert: (\S+)", file.read())
    raised = {line.split("\t")[0] for line in lines if line.split("\t")[4] != "-"}
    if not alerts or set(alerts) != raised:
        sys.exit(f"cases.py: {rules} and {path} differ in {sorted(set(alerts) ^ raised)}")
    # JSON is YAML.
    print(json.dumps({"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [case(line, job) for line in lines]}))


main()
