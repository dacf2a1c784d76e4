#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the test cases of one `bazel test` run and prints `N passed, M failed` as the last line.

Reads Bazel's build event file (one JSON object per line), which names the XML file of every test
that ran. A test target counts case by case from its GoogleTest XML. One that was asked for but did
not run to its end (it did not build, crashed, timed out, left early) has no such XML and counts as
one failed case. The exit code is 0 exactly when something passed and nothing failed.
"""

import argparse
import json
import sys
import urllib.parse
import xml.etree.ElementTree


def read_events(path):
    """Returns ({label: [xml paths]} of tests that ran, {label: status} of all tests asked for)."""
    reports, statuses = {}, {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            event_id = event["id"]
            if "targetConfigured" in event_id:
                # Tests are the targets with a size; those that never ran keep this status.
                if "testSize" in event.get("configured", {}):
                    statuses.setdefault(event_id["targetConfigured"]["label"], "DID NOT BUILD")
            elif "testResult" in event_id and "testResult" in event:
                label = event_id["testResult"]["label"]
                for output in event["testResult"].get("testActionOutput", []):
                    if output["name"] == "test.xml":
                        path = urllib.parse.unquote(urllib.parse.urlparse(output["uri"]).path)
                        reports.setdefault(label, []).append(path)
            elif "testSummary" in event_id and "testSummary" in event:
                label = event_id["testSummary"]["label"]
                statuses[label] = event["testSummary"]["overallStatus"]
    return reports, statuses


def count_cases(path):
    """Returns (passed, failed names) of one GoogleTest XML file, or None where it is none."""
    try:
        root = xml.etree.ElementTree.parse(path).getroot()
    except (OSError, xml.etree.ElementTree.ParseError):
        return None
    # Bazel writes a file of its own for a program that wrote none; only GoogleTest's has this name.
    if root.tag != "testsuites" or root.get("name") != "AllTests":
        return None
    passed, failed = 0, []
    for case in root.iter("testcase"):
        name = case.get("classname", "") + "." + case.get("name", "")
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(name)
        elif case.get("status") == "run" and case.get("result") == "completed":
            passed += 1
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bazel-exit-code", type=int, default=0)
    parser.add_argument("events")
    arguments = parser.parse_args()
    reports, statuses = read_events(arguments.events)

    passed, failures = 0, []
    for label in sorted(set(reports) | set(statuses)):
        results = [count_cases(path) for path in reports.get(label, [])]
        complete = results and None not in results
        for result in results:
            if result is not None:
                passed += result[0]
                failures += ["%s %s" % (label, name) for name in result[1]]
        status = statuses.get(label, "NO STATUS")
        if not complete:
            failures.append("%s (%s, no GoogleTest results)" % (label, status))
        elif status != "PASSED" and not any(result[1] for result in results):
            failures.append("%s (%s, though every case passed)" % (label, status))

    # A broken build or BUILD file may hide tests altogether; that is never a success.
    if arguments.bazel_exit_code not in (0, 3, 4) and not failures:
        failures.append("the build (bazel exit code %d)" % arguments.bazel_exit_code)
    for failure in failures:
        print("failed: " + failure)
    print("%d passed, %d failed" % (passed, len(failures)))
    return 0 if passed > 0 and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
