package dev.weir.advice.finding;

/** One step that mends what was found. */
public sealed interface MendStep {
  /**
   * A call of the cluster's REST API.
   *
   * @param path with the query
   * @param body JSON; empty for none
   */
  record Call(String method, String path, String body) implements MendStep {}

  /** A line of {@code opensearch.yml}, in force after the node's restart. */
  record NodeSetting(String line) implements MendStep {}

  /** A section of the gateway's configuration, which it applies while it runs. */
  record GatewaySetting(String yaml) implements MendStep {}

  /** A command on the machine of a node. */
  record Command(String text) implements MendStep {}
}
