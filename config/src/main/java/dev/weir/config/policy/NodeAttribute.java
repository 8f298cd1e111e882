package dev.weir.config.policy;

/**
 * An attribute of the gateway, as nodes have them.
 *
 * @param name such as {@code zone}
 * @param value such as {@code a}
 */
public record NodeAttribute(String name, String value) {
  /** As it is written in YAML: {@code zone=a}. */
  @Override
  public String toString() {
    return name + "=" + value;
  }
}
