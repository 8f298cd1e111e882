package dev.weir.cluster;

import java.util.function.BooleanSupplier;

/**
 * Whether the cluster has the security plugin, as the index shows that the plugin keeps its rules
 * in. False before the first view. Safe on any thread.
 */
public final class Secured implements ViewListener, BooleanSupplier {
  private static final String RULES = ".opendistro_security";

  private volatile boolean value;

  @Override
  public void changed(ClusterView before, ClusterView now) {
    value = now.state().metadata().hasIndex(RULES);
  }

  @Override
  public boolean getAsBoolean() {
    return value;
  }
}
