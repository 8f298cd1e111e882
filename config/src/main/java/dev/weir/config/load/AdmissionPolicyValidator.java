package dev.weir.config.load;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.QueuePolicy;
import dev.weir.config.policy.TenantsPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks the keys of the section {@code admission} that depend on each other. */
final class AdmissionPolicyValidator {
  private AdmissionPolicyValidator() {}

  static void validate(AdmissionPolicy admission, SectionBinder binder) {
    validateTenants(admission.tenants(), binder);
    validatePacing(admission.pacing().rules(), admission.tenants(), binder);
    validateQueue(admission.queue(), binder);
  }

  private static void validateQueue(QueuePolicy queue, SectionBinder binder) {
    if (queue.maxInFlightPerNode() < queue.minInFlightPerNode()) {
      binder.report(
          "admission.queue.max-in-flight-per-node",
          "got "
              + queue.maxInFlightPerNode()
              + " (expected: at least min-in-flight-per-node, "
              + queue.minInFlightPerNode()
              + ")");
    }
  }

  private static void validatePacing(
      List<PacingPolicy.Rule> rules, TenantsPolicy tenants, SectionBinder binder) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      PacingPolicy.Rule rule = rules.get(i);
      String path = "admission.pacing.rules[" + i + "]";
      if (!NameRules.PLAIN.matcher(rule.name()).matches()) {
        binder.report(
            path + ".name",
            "got '" + rule.name() + "' (expected: " + NameRules.PLAIN_DESCRIPTION + ")");
      } else if (!names.add(rule.name())) {
        binder.report(
            path + ".name", "got '" + rule.name() + "' twice (expected: each rule its own)");
      }
      if (rule.requestsPerSecond() == 0 && rule.bytesPerSecond().bytes() == 0) {
        binder.report(
            path, "got no rate (expected: requests-per-second or bytes-per-second over 0)");
      }
      for (String method : rule.methods()) {
        if (!NameRules.METHODS.contains(method)) {
          binder.report(
              path + ".methods",
              "got '" + method + "' (expected: of " + String.join(", ", NameRules.METHODS) + ")");
        }
      }
      if (rule.countResponseBytes() && rule.bytesPerSecond().bytes() == 0) {
        binder.report(path + ".count-response-bytes", "got no bytes-per-second (expected: over 0)");
      }
      TenantKeysValidator.validate(path, rule.tenants(), tenants, binder);
      if (rule.limitBy() == PacingPolicy.LimitKey.TENANT
          && TenantKeysValidator.isSingleTenant(tenants, binder)) {
        binder.report(
            path + ".limit-by",
            "got tenant while admission.tenants tells none apart (expected: with"
                + " admission.tenants.source, or all, index, client-address)");
      }
    }
  }

  private static void validateTenants(TenantsPolicy tenants, SectionBinder binder) {
    boolean needed = tenants.source() == TenantsPolicy.TenantSource.HEADER;
    String header = tenants.header();
    if (header.isEmpty() ? needed : !NameRules.HEADER.matcher(header).matches()) {
      String got = header.isEmpty() ? "none" : "'" + header + "'";
      binder.report(
          "admission.tenants.header",
          "got " + got + " (expected: the name of a header, such as X-Tenant)");
    }
    if (!tenants.weights().isEmpty() && TenantKeysValidator.isSingleTenant(tenants, binder)) {
      binder.report(
          "admission.tenants.weights",
          "got weights while admission.tenants tells none apart (expected: with"
              + " admission.tenants.source)");
    }
    tenants
        .weights()
        .forEach((tenant, weight) -> {
          if (!(weight >= TenantsPolicy.MIN_WEIGHT && weight <= TenantsPolicy.MAX_WEIGHT)) {
            binder.report(
                "admission.tenants.weights." + tenant,
                "got " + weight + " (expected: 0.01 to 1000)");
          }
        });
  }
}
