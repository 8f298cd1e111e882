package dev.weir.advice;

import dev.weir.advice.finding.Finding;
import dev.weir.advice.finding.Severity;
import java.util.List;
import java.util.Map;

/**
 * What the checks found. Immutable.
 *
 * @param checks how many checks have run
 * @param findings the worst first
 * @param omitted how many further findings a check has, by its name; none is worse than those that
 *     are shown
 * @param notRun the checks that did not run, and why
 */
public record Advice(
    int checks, List<Finding> findings, Map<String, Integer> omitted, Map<String, String> notRun) {
  /** Returns whether a finding is a problem. */
  public boolean hasProblems() {
    return findings.stream().anyMatch(one -> one.severity() == Severity.PROBLEM);
  }
}
