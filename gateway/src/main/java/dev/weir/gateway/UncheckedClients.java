package dev.weir.gateway;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.Secured;
import dev.weir.cluster.ViewListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says to the log, once, that a cluster has rules of who may do what, and that the configuration
 * has nobody heed them.
 */
final class UncheckedClients implements ViewListener {
  private static final Logger LOG = LoggerFactory.getLogger(UncheckedClients.class);

  private final String cluster;
  private final Secured secured = new Secured();
  private boolean said;

  /**
   * Makes a listener.
   *
   * @param cluster its name in the configuration
   */
  UncheckedClients(String cluster) {
    this.cluster = cluster;
  }

  @Override
  public synchronized void changed(ClusterView before, ClusterView now) {
    secured.changed(before, now);
    if (!said && secured.getAsBoolean()) {
      said = true;
      LOG.warn(
          "clusters.{}.authorization is none, and the cluster has the security plugin: whoever"
              + " reaches the gateway, with or without credentials, may search, read and write"
              + " there as the gateway's own certificate may",
          cluster);
    }
  }
}
