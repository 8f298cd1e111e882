package dev.weir.gateway.app;

import dev.weir.admission.head.Tenants;
import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.gateway.http.HeadGate;
import dev.weir.model.RequestHead;
import org.jspecify.annotations.Nullable;

/** The gate by head of the policy in force. Safe on any thread. */
final class Gatekeeper implements HeadGate {
  private volatile Tenants tenants;

  Gatekeeper(AdmissionPolicy policy) {
    this.tenants = new Tenants(policy.tenants());
  }

  /** Goes by another policy from now on. */
  void use(AdmissionPolicy policy) {
    tenants = new Tenants(policy.tenants());
  }

  @Override
  public @Nullable Visit visit(RequestHead head) {
    Tenants now = tenants;
    return now.one() ? null : new Seen(now.of(head));
  }

  private record Seen(String tenant) implements Visit {}
}
