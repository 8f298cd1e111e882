package dev.weir.config.load;

import dev.weir.config.policy.AdmissionPolicy;
import dev.weir.config.policy.PacingPolicy;
import dev.weir.config.policy.TenantsPolicy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What keys of the section {@code admission} must be together. */
final class AdmissionChecks {
  private AdmissionChecks() {}

  static void check(AdmissionPolicy admission, SectionBinder binder) {
    tenants(admission.tenants(), binder);
    pacing(admission.pacing().rules(), binder);
  }

  private static void pacing(List<PacingPolicy.Rule> rules, SectionBinder binder) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < rules.size(); i++) {
      PacingPolicy.Rule rule = rules.get(i);
      String path = "admission.pacing.rules[" + i + "]";
      if (!Names.PLAIN.matcher(rule.name()).matches()) {
        binder.report(
            path + ".name", "got '" + rule.name() + "' (expected: " + Names.EXPECTED + ")");
      } else if (!names.add(rule.name())) {
        binder.report(
            path + ".name", "got '" + rule.name() + "' twice (expected: each rule its own)");
      }
      if (rule.requestsPerSecond() == 0 && rule.bytesPerSecond().bytes() == 0) {
        binder.report(
            path, "got no rate (expected: requests-per-second or bytes-per-second over 0)");
      }
      for (String method : rule.methods()) {
        if (!Names.METHODS.contains(method)) {
          binder.report(
              path + ".methods",
              "got '" + method + "' (expected: of " + String.join(", ", Names.METHODS) + ")");
        }
      }
      if (rule.countAnswers() && rule.bytesPerSecond().bytes() == 0) {
        binder.report(path + ".count-answers", "got no bytes-per-second (expected: over 0)");
      }
    }
  }

  private static void tenants(TenantsPolicy tenants, SectionBinder binder) {
    boolean needed = tenants.by() == TenantsPolicy.By.HEADER;
    String header = tenants.header();
    if (header.isEmpty() ? needed : !Names.HEADER.matcher(header).matches()) {
      String got = header.isEmpty() ? "none" : "'" + header + "'";
      binder.report(
          "admission.tenants.header",
          "got " + got + " (expected: the name of a header, such as X-Tenant)");
    }
    tenants
        .weights()
        .forEach((tenant, weight) -> {
          if (!(weight >= TenantsPolicy.LEAST_WEIGHT && weight <= TenantsPolicy.MOST_WEIGHT)) {
            binder.report(
                "admission.tenants.weights." + tenant,
                "got " + weight + " (expected: 0.01 to 1000)");
          }
        });
  }
}
