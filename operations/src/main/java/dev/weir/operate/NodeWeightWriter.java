package dev.weir.operate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;

/**
 * Changes the weights that gateways give nodes. A gateway writes them into the settings of the
 * cluster with its own rights; where these do not suffice, as on most clusters with the security
 * plugin, the operation writes the same settings with those of its user.
 *
 * @param cluster has the settings
 * @param gateways are asked first
 */
record NodeWeightWriter(ClusterApi cluster, GatewayAdmin gateways) {
  private static final String SETTING =
      ClusterSettings.PERSISTENT + ".cluster.metadata.weir.node-weight.";

  /** Has all gateways send a node nothing that another one can do. */
  void drain(String node) throws OperationException, InterruptedException {
    if (!gateways.change(node, "drain", "", false)) {
      write(node, "0");
    }
  }

  /** Gives a drained node its full share, step by step. */
  void restore(String node, Duration over) throws OperationException, InterruptedException {
    if (!gateways.change(node, "restore", "over=" + over.toSeconds() + "s", false)) {
      Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      write(node, "1 from 0 since " + now + " over " + over.toSeconds() + "s");
    }
  }

  /**
   * Gives a node a share at once, 0 to 1; a full one removes the setting. A node that the gateway
   * does not know may have left, or the gateway has just started: only the setting is sure then.
   */
  void set(String node, double weight) throws OperationException, InterruptedException {
    if (!gateways.change(node, "weight", "weight=" + weight, true)) {
      write(node, weight >= 1 ? "" : String.format(Locale.ROOT, "%.3f", weight));
    }
  }

  private void write(String node, String value) throws OperationException, InterruptedException {
    cluster.changeSettings(Map.of(SETTING + node, value));
  }
}
