package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.List;

/**
 * Decides whether a candidate's response to one step differs from the reference's by chance only:
 * what the reference gave to the same step in several runs shows what it may give.
 *
 * <p>The rule excuses single parts of a response, never a whole response:
 *
 * <ul>
 *   <li>The status is one that the reference gave. Only its responses with this status count
 *       further.
 *   <li>Each header has the value, or is as absent, as in one of them.
 *   <li>Each value of the body is one that the reference gave at the same place: that of a scalar,
 *       whether a key is there, in which order the keys are, how long an array is. So two ties that
 *       each come in two orders have four allowed combinations, of which the reference need not
 *       show all.
 *   <li>At a place of the body where the reference gave another number or string each time, another
 *       one is allowed: see {@link UnboundedValues}. Nothing else that was never seen is.
 *   <li>A body without a format, and the white space and escapes of one whose values the reference
 *       gave as a whole, is as in one of its responses.
 * </ul>
 *
 * <p>A step that only has to succeed and did not is chance if the reference had the candidate's
 * outcome in another run.
 *
 * <p>Confined to one thread.
 */
final class ChanceCheck {
  private final StepResult first;
  private final List<ComparableResponse> seen = new ArrayList<>();

  /**
   * Creates a check.
   *
   * @param first the result of the run in which the responses differed
   */
  ChanceCheck(StepResult first) {
    this.first = first;
    if (first.isCompared()) {
      seen.add(first.reference());
    }
  }

  /** Adds what the reference gave in another run. */
  void add(ComparableResponse reference) {
    seen.add(reference);
  }

  /** Returns what no response of the reference explains; nothing if all is chance. */
  List<Difference> unexplained() {
    if (first.isCompared()) {
      return ResponseDiff.of(seen, first.candidate());
    }
    String outcome = first.candidate().outcome();
    return seen.stream().anyMatch(each -> each.outcome().equals(outcome))
        ? List.of()
        : first.differences();
  }

  /**
   * Returns whether more responses of the reference may explain more: some always may, many only
   * those of a reference that gives several.
   */
  boolean needsMore() {
    return (seen.size() < UnboundedValues.MIN_VALUES || isVaried()) && !unexplained().isEmpty();
  }

  private boolean isVaried() {
    return first.isCompared()
        && seen.stream()
            .skip(1)
            .anyMatch(each -> !ResponseDiff.of(List.of(seen.getFirst()), each).isEmpty());
  }
}
