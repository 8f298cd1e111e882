package dev.weir.gateway.admin;

import dev.weir.config.policy.AdminPolicy;
import dev.weir.testkit.fixtures.TestPolicies;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Admin servers of tests, on a free port of loopback. */
final class AdminTestServers {
  private AdminTestServers() {}

  /** A policy with these keys of the section {@code admin}, as a flow mapping. */
  static AdminPolicy policy(String admin) {
    return TestPolicies.parse(
            "clusters: {main: {seeds: [\"127.0.0.1:1\"]}}\nadmin: {" + admin + "}\n")
        .admin();
  }

  static AdminServer start(AdminRouter pages) throws IOException {
    return start(pages, policy(""), null);
  }

  static AdminServer start(
      AdminRouter pages, AdminPolicy policy, @Nullable Supplier<SslContext> tls)
      throws IOException {
    return start(free(), pages, policy, tls);
  }

  static AdminServer start(
      InetSocketAddress address,
      AdminRouter pages,
      AdminPolicy policy,
      @Nullable Supplier<SslContext> tls)
      throws IOException {
    return AdminServer.start(
        address,
        new AdminSite(pages, AdminRouter.builder().build(), AdminAccess.of(() -> policy)),
        AdminServerOptions.forOperators(tls));
  }

  static InetSocketAddress free() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}
