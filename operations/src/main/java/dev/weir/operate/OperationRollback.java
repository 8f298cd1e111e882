package dev.weir.operate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Ends an operation early: gives settings and weights back as they were before. The former values
 * are in the journal alone, so the journal is removed once all are given back, and not before. For
 * one thread.
 */
record OperationRollback(ClusterApi cluster, GatewayAdmin gateways, JournalStore store) {
  /**
   * Gives all back that it can, whatever part fails.
   *
   * @throws OperationException if a part failed; the journal stays, for another try
   */
  void run(OperationJournal begun) throws OperationException, InterruptedException {
    store.requireOwn(begun);
    if (begun.step() == OperationStep.MOVE_MANAGER) {
      cluster.clearVotingExclusions();
    }
    OperationJournal journal = begun.at(OperationStep.ABORT);
    store.write(journal, Map.of()); // a command must not run on a node that has its requests again
    List<OperationException> failures = new ArrayList<>();
    attempt(
        () ->
            cluster.changeSettings(ClusterSettings.restoredExceptZones(journal.previousSettings())),
        failures);
    attempt(() -> restoreZone(journal), failures);
    NodeWeightWriter weights = new NodeWeightWriter(cluster, gateways);
    for (Map.Entry<String, NodeRecord> node : journal.nodes().entrySet()) {
      attempt(() -> weights.set(node.getKey(), node.getValue().weight()), failures);
    }
    if (!failures.isEmpty()) {
      throw incomplete(failures);
    }
    store.remove(journal, Map.of());
  }

  private void restoreZone(OperationJournal journal)
      throws OperationException, InterruptedException {
    new ZoneWeights(cluster).restore(journal.zone());
    cluster.changeSettings(
        ClusterSettings.restored(journal.previousSettings(), ClusterSettings.STRICT_ZONES));
  }

  /** Makes a change that may fail while others succeed. */
  private static void attempt(ClusterChange part, List<OperationException> failures)
      throws InterruptedException {
    try {
      part.make();
    } catch (OperationException e) {
      failures.add(e);
    }
  }

  private static OperationException incomplete(List<OperationException> failures) {
    OperationException all =
        new OperationException(
            failures.stream()
                .map(failure -> "\n  - " + failure.getMessage())
                .collect(
                    Collectors.joining(
                        "",
                        "some settings or weights are not as before:",
                        "\nThe journal keeps the former values: repeat --abort")),
            failures.getFirst());
    failures.stream().skip(1).forEach(all::addSuppressed);
    return all;
  }
}
