package dev.weir.operate;

import java.util.List;

/**
 * Waits until it is safe to go on with a batch: for refusals that may end by themselves until a
 * given moment, and for others two minutes at most. For one thread.
 */
final class SafetyWait {
  private final OperationObserver observer;
  private final long endNanos;
  private long settleEndNanos = Poller.endOf(SafetyCheck.SETTLE);
  private List<String> shown = List.of();

  /** Finds out what speaks against going on. */
  interface Check {
    SafetyCheck.Findings find() throws OperationException, InterruptedException;
  }

  /**
   * Begins the two minutes.
   *
   * @param observer gets the refusals
   * @param endNanos when to stop waiting, as {@link Poller#endOf} gives it
   */
  SafetyWait(OperationObserver observer, long endNanos) {
    this.observer = observer;
    this.endNanos = endNanos;
  }

  /**
   * Repeats a check until it refuses nothing.
   *
   * @param problem what to say if it still refuses when the time is over
   * @return the layout that the last check saw
   */
  ClusterLayout await(OperationJournal journal, String problem, Check check)
      throws OperationException, InterruptedException {
    while (true) {
      SafetyCheck.Findings findings = check.find();
      List<Refusal> refusals = findings.refusals();
      if (refusals.isEmpty()) {
        return findings.layout();
      }
      if (isOver(refusals, System.nanoTime())) {
        throw new OperationException(
            problem + ":\n  - " + String.join("\n  - ", Refusal.texts(refusals)));
      }
      show(journal, refusals);
      Thread.sleep(SafetyCheck.PAUSE);
    }
  }

  /** Returns whether a check that refuses for some reasons at some time is not to be repeated. */
  boolean isOver(List<Refusal> refusals, long nowNanos) {
    if (refusals.stream().anyMatch(Refusal::isTransient)) {
      settleEndNanos = nowNanos + SafetyCheck.SETTLE.toNanos();
    }
    return nowNanos - endNanos > 0 || nowNanos - settleEndNanos > 0;
  }

  /** Shows what it waits for, unless it has shown the same before. */
  void show(OperationJournal journal, List<Refusal> refusals) {
    List<String> texts = Refusal.texts(refusals);
    if (!texts.equals(shown)) {
      observer.onProgress(
          StepTexts.progress(journal, "waiting until it is safe: " + String.join("; ", texts)));
      shown = texts;
    }
  }
}
