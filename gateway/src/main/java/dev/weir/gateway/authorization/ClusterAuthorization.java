package dev.weir.gateway.authorization;

import dev.weir.config.policy.ClusterPolicy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mode in force for one cluster, and why. Reading it is one volatile read, so that event loops
 * may do so for each request. A request reads the mode once, where it is routed.
 */
public final class ClusterAuthorization {
  /** Gets each change of the mode or its reason. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Called after the change is in force, in the order of the changes, on the thread that detected
     * it: never an event loop. Must not call {@link ClusterAuthorization#addListener}.
     */
    void onChange(AuthorizationState before, AuthorizationState now);
  }

  private static final Logger LOG = LoggerFactory.getLogger(ClusterAuthorization.class);

  private final String cluster;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private volatile AuthorizationState state;
  private boolean warned;

  private ClusterAuthorization(String cluster, AuthorizationState initial) {
    this.cluster = cluster;
    this.state = initial;
  }

  /**
   * Creates the authorization of a cluster. With {@code detect}, requests pass through until {@link
   * #update} says what was detected.
   *
   * @param cluster its name in the configuration
   */
  public static ClusterAuthorization of(String cluster, ClusterPolicy.Authorization configured) {
    return new ClusterAuthorization(
        cluster,
        switch (configured) {
          case DETECT ->
              new AuthorizationState(
                  AuthorizationMode.DELEGATE, "no node has been probed yet", false);
          case DELEGATE -> configured(cluster, AuthorizationMode.DELEGATE);
          case GATEWAY -> configured(cluster, AuthorizationMode.GATEWAY);
          case NONE -> configured(cluster, AuthorizationMode.NONE);
        });
  }

  private static AuthorizationState configured(String cluster, AuthorizationMode mode) {
    return new AuthorizationState(
        mode, "configured by clusters." + cluster + ".authorization", true);
  }

  /** Returns the mode in force, and why. */
  public AuthorizationState state() {
    return state;
  }

  /** Returns the mode in force. */
  public AuthorizationMode mode() {
    return state.mode();
  }

  /** Adds a listener, which gets the changes from now on. */
  public void addListener(Listener listener) {
    listeners.add(listener);
  }

  /** Puts a detected mode in force. A configured mode stays. Not for event loops. */
  synchronized void update(AuthorizationMode mode, String reason) {
    AuthorizationState before = state;
    AuthorizationState now = new AuthorizationState(mode, reason, false);
    if (before.isConfigured() || before.equals(now)) {
      return;
    }
    state = now;
    log();
    listeners.forEach(listener -> listener.onChange(before, now));
  }

  /** Logs the mode in force, and why. */
  public void log() {
    AuthorizationState now = state;
    LOG.info("cluster {}: authorization {}, {}", cluster, now.mode().label(), now.reason());
  }

  /**
   * Called when the nodes are known to ask for credentials. Warns once if nobody checks them.
   *
   * @param proof how that is known, as a clause
   */
  synchronized void onProof(String proof) {
    if (!warned && state.mode() == AuthorizationMode.NONE) {
      warned = true;
      LOG.warn(
          "clusters.{}.authorization is none, although {}: every client of the gateway, even"
              + " without credentials, has the permissions of the gateway's certificate there",
          cluster,
          proof);
    }
  }
}
