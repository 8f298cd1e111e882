package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewListener;
import dev.weir.cluster.SecurityPluginDetector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a warning, once, when a cluster authenticates requests and the configuration lets the
 * gateway skip that. Called on the follower's thread.
 */
final class UnauthenticatedAccessWarning implements ClusterViewListener {
  private static final Logger LOG = LoggerFactory.getLogger(UnauthenticatedAccessWarning.class);

  private final String cluster;
  private final SecurityPluginDetector secured = new SecurityPluginDetector();
  private boolean logged;

  /**
   * Creates a listener.
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
          "clusters.{}.authorization is none, and the cluster has the security plugin: every client"
              + " of the gateway, even without credentials, has the permissions of the gateway's"
              + " certificate there",
          cluster);
    }
  }
}
