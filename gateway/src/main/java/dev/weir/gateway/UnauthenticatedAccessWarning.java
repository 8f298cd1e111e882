package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.SecurityPluginDetector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says to the log, once, that a cluster has rules of who may do what, and that the configuration
 * has nobody heed them.
 */
final class UnauthenticatedAccessWarning implements ClusterViewListener {
  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedAccessWarning.class);

  private final String cluster;
  private final SecurityPluginDetector secured = new SecurityPluginDetector();
  private boolean logged;

  /**
   * Makes a listener.
   *
   * @param cluster its name in the configuration
   */
  UnauthenticatedAccessWarning(String cluster) {
    this.cluster = cluster;
  }

  @Override
  public synchronized void onChange(ClusterView before, ClusterView now) {
    secured.onChange(before, now);
    if (!logged && secured.getAsBoolean()) {
      logged = true;
      LOG.warn(
          "clusters.{}.authorization is none, and the cluster has the security plugin: whoever"
              + " reaches the gateway, with or without credentials, may search, read and write"
              + " there as the gateway's own certificate may",
          cluster);
    }
  }
}
