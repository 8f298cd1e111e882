package dev.weir.advice.finding;

/** One step that mends what was found. */
public sealed interface MendStep {
  /**
   * A call of the cluster's REST API.
   *
   * @param path with the query
   * @param body JSON; empty for none
   * @param isRepeated whether to call again while the answer has a status such as 500 or 503,
   *     because the cluster is not ready for it yet
   */
  record Call(String method, String path, String body, boolean isRepeated) implements MendStep {
    /** Creates a call that is made once. */
    public Call(String method, String path, String body) {
      this(method, path, body, false);
    }
  }

  /** A line of {@code opensearch.yml}, in force after the node's restart. */
  record NodeSetting(String line) implements MendStep {}

  /** A section of the gateway's configuration, which it applies while it runs. */
  record GatewaySetting(String yaml) implements MendStep {}

  /** A command on the machine of a node; of a gateway if it is {@code weir}. */
  record Command(String text) implements MendStep {}
}
