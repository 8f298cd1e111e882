package dev.weir.operate;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;

/**
 * Changes the weights that gateways give nodes. A gateway writes them into the settings of the
 * cluster with its own rights. Where these do not suffice, as on most clusters with the security
 * plugin, or where the gateway does not know the node, because the node has left or the gateway has
 * just started, the operation writes the same settings with the rights of its user.
 *
 * @param cluster has the settings
 * @param gateways are asked first
 */
record NodeWeightWriter(ClusterApi cluster, GatewayAdmin gateways) {
  private static final String SETTING =
      ClusterSettings.PERSISTENT + ".cluster.metadata.weir.node-weight.";

  /** Has all gateways send a node nothing that another one can do. */
  void drain(String node) throws OperationException, InterruptedException {
    if (!gateways.change(node, "drain", "")) {
      write(node, "0");
    }
  }

  /** Gives a drained node its full share, step by step. */
  void restore(String node, Duration over) throws OperationException, InterruptedException {
    if (!gateways.change(node, "restore", "over=" + over.toSeconds() + "s")) {
      Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
      write(node, "1 from 0 since " + now + " over " + over.toSeconds() + "s");
    }
  }

  /** Gives a node a share at once, 0 to 1; a full one removes the setting. */
  void set(String node, double weight) throws OperationException, InterruptedException {
    if (!gateways.change(node, "weight", "weight=" + weight)) {
      write(node, weight >= 1 ? "" : String.format(Locale.ROOT, "%.3f", weight));
    }
  }

  /** The change that gives a node its full share at once, after which no setting is left. */
  static Map<String, String> full(String node) {
    return Map.of(SETTING + node, "");
  }

  private void write(String node, String value) throws OperationException, InterruptedException {
    cluster.changeSettings(Map.of(SETTING + node, value));
  }
}
