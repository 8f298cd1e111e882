package dev.weir.cluster;

import java.util.function.BooleanSupplier;

/**
 * Detects whether the cluster has the security plugin, from the index that stores the plugin's
 * rules. False before the first view. Safe on any thread.
 */
public final class SecurityPluginDetector implements ClusterViewListener, BooleanSupplier {
  private static final String SECURITY_INDEX = ".opendistro_security";

  private volatile boolean isSecured;

  @Override
  public void onChange(ClusterView before, ClusterView now) {
    isSecured = now.state().metadata().hasIndex(SECURITY_INDEX);
  }

  @Override
  public boolean getAsBoolean() {
    return isSecured;
  }
}
