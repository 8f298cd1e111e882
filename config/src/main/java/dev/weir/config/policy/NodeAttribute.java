package dev.weir.config.policy;

/**
 * An attribute of the gateway, in the form of node attributes.
 *
 * @param name such as {@code zone}
 * @param value such as {@code a}
 */
public record NodeAttribute(String name, String value) {
  /** Returns the attribute in YAML's notation: {@code zone=a}. */
  @Override
  public String toString() {
    return name + "=" + value;
  }
}
