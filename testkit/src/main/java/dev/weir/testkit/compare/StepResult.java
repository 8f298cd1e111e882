package dev.weir.testkit.compare;

import java.util.List;

/**
 * What both endpoints responded to one step of a run.
 *
 * @param step the step
 * @param reference the response of the reference
 * @param candidate the response of the other endpoint
 * @param differences in what they differ, or why the step failed
 */
record StepResult(
    ComparisonStep step,
    ComparableResponse reference,
    ComparableResponse candidate,
    List<Difference> differences) {
  /** Copies the differences. */
  StepResult {
    differences = List.copyOf(differences);
  }

  /** Returns whether the responses are compared; otherwise the step only has to succeed. */
  boolean isCompared() {
    return step.mode() == ComparisonStep.Mode.COMPARED;
  }

  boolean isDifferent() {
    return !differences.isEmpty();
  }
}
