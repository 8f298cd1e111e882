package dev.weir.config.load;

import dev.weir.config.policy.TenantsPolicy;
import dev.weir.config.policy.TrimmingPolicy;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Checks the keys of the section {@code responses.trimming} that depend on each other. */
final class TrimmingPolicyValidator {
  /** Values of the request parameter that are not profiles, and label values of the metrics. */
  private static final Set<String> RESERVED_NAMES =
      Stream.concat(
              Arrays.stream(TrimmingPolicy.Part.values()).map(ScalarParser::toKebabCase),
              Stream.of("none", "requested", "filter_path"))
          .collect(Collectors.toUnmodifiableSet());

  private TrimmingPolicyValidator() {}

  /**
   * Checks a section.
   *
   * @param section its full name
   * @param tenants how the gateway tells tenants apart
   */
  static void validate(
      String section, TrimmingPolicy trimming, TenantsPolicy tenants, SectionBinder binder) {
    trimming
        .profiles()
        .forEach((name, profile) -> {
          String path = section + ".profiles." + name;
          if (!NameRules.PLAIN.matcher(name).matches()) {
            binder.report(
                path, "got '" + name + "' (expected: " + NameRules.PLAIN_DESCRIPTION + ")");
          } else if (RESERVED_NAMES.contains(name)) {
            binder.report(
                path,
                "got '" + name + "', which has a meaning of its own (expected: another name)");
          }
          boolean source =
              !profile.sourceIncludes().isEmpty() || !profile.sourceExcludes().isEmpty();
          if (profile.drop().isEmpty() && !source) {
            binder.report(path, "got nothing to leave out (expected: drop, source-includes, ...)");
          }
          if (source && profile.drop().contains(TrimmingPolicy.Part.SOURCE)) {
            binder.report(
                path, "got fields of a source that is dropped (expected: one or the other)");
          }
        });
    for (int i = 0; i < trimming.rules().size(); i++) {
      TrimmingPolicy.Rule rule = trimming.rules().get(i);
      String path = section + ".rules[" + i + "]";
      if (!trimming.profiles().containsKey(rule.profile())) {
        binder.report(
            path + ".profile",
            "got '" + rule.profile() + "' (expected: one of " + trimming.profiles().keySet() + ")");
      }
      if (rule.userAgents().isEmpty() && rule.tenants().isEmpty()) {
        binder.report(
            path,
            "got everybody (expected: user-agents or tenants, as clients that are not known are"
                + " not trimmed unasked)");
      }
      TenantKeysValidator.validate(path, rule.tenants(), tenants, binder);
    }
  }
}
