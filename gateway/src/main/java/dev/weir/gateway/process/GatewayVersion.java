package dev.weir.gateway.process;

/** The version of this gateway, from its jar. */
public final class GatewayVersion {
  private GatewayVersion() {}

  /** The version; a note in parentheses where the classes are in no jar. */
  public static String current() {
    String version = GatewayVersion.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }
}
