package dev.weir.gateway;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.HealthPolicy;
import dev.weir.config.policy.HostPort;
import dev.weir.gateway.admin.AdminAccess;
import dev.weir.gateway.admin.AdminServer;
import dev.weir.gateway.admin.AdminServerOptions;
import dev.weir.gateway.admin.AdminSite;
import dev.weir.gateway.network.ClientListener;
import dev.weir.gateway.network.TlsContextFactory;
import dev.weir.gateway.stats.StatsReporters;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The ports that are not for clients. Safe on any thread.
 *
 * @param admin for operators
 * @param health for probes; null without a port of their own
 */
record AdminListeners(AdminServer admin, @Nullable AdminServer health) implements AutoCloseable {

  /**
   * Opens the ports.
   *
   * @param current the policy in force, for keys that change while the gateway runs
   * @param tls loads certificates
   * @throws IOException when an address can't be bound, or TLS files don't load
   */
  static AdminListeners start(
      GatewayPolicy policy,
      Supplier<AdminPolicy> current,
      AdminPages pages,
      StatsReporters reporters,
      TlsContextFactory tls)
      throws IOException {
    AdminServer admin =
        open(
            "admin.listen",
            policy.admin().listen(),
            new AdminSite(
                pages.createOperatorPages(reporters),
                pages.createHealthPages(false),
                AdminAccess.of(current)),
            AdminServerOptions.forOperators(tls.adminContext(policy.admin())));
    HealthPolicy health = policy.health();
    if (!health.enabled()) {
      return new AdminListeners(admin, null);
    }
    try {
      return new AdminListeners(
          admin,
          open(
              "health.listen",
              health.listen(),
              AdminSite.unrestricted(pages.createHealthPages(health.metricsEnabled())),
              AdminServerOptions.forHealthChecks()));
    } catch (IOException e) {
      admin.close();
      throw e;
    }
  }

  private static AdminServer open(
      String key, HostPort listen, AdminSite site, AdminServerOptions options) throws IOException {
    try {
      return AdminServer.start(ClientListener.socketAddress(listen), site, options);
    } catch (IOException e) {
      throw ClientListener.listenFailure(key, listen, e);
    }
  }

  @Override
  public void close() {
    if (health != null) {
      health.close();
    }
    admin.close();
  }
}
