package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecurityRulesTest {
  private static SecurityRules rules(String dynamic, String roles, String... allowLists) {
    return SecurityRules.parse(
        AuthenticatedUser.readJson("{\"config\": {\"dynamic\": {" + dynamic + "}}}"),
        AuthenticatedUser.readJson("{\"_meta\": {\"type\": \"roles\"}" + roles + "}"),
        List.of(allowLists).stream().map(AuthenticatedUser::readJson).toList());
  }

  private static String role(String restriction) {
    return ", \"r\": {\"index_permissions\": [{\"index_patterns\": [\"a\"]"
        + restriction
        + ", \"allowed_actions\": [\"read\"]}]}";
  }

  private static AuthenticatedUser user(boolean hasAttributes) {
    return TestUsers.named(
        "u", Set.of("r", "other"), hasAttributes ? Set.of("attr.jwt.a") : Set.of());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", \"dls\": \"{}\"",
        ", \"fls\": [\"a\"]",
        ", \"fls\": \"a\"",
        ", \"masked_fields\": [\"a\"]",
        ", \"dls\": {\"term\": {}}"
      })
  void findRestrictedRoles(String restriction) {
    assertThat(rules("", role(restriction)).isUnrestricted(user(false))).isFalse();
  }

  @Test
  void takeEmptyRestrictionsForNone() {
    String none = ", \"dls\": null, \"fls\": [], \"masked_fields\": []";
    assertThat(rules("", role(none)).isUnrestricted(user(false))).isTrue();
    assertThat(rules("", role("")).isUnrestricted(user(true))).isTrue();
  }

  @Test
  void takeARoleInAnUnknownFormForRestricted() {
    assertThat(rules("", ", \"r\": {\"index_permissions\": \"?\"}").isUnrestricted(user(false)))
        .isFalse();
    assertThat(rules("", ", \"r\": {\"index_permissions\": [7]}").isUnrestricted(user(false)))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", \"dls\": \"{\\\"term\\\": {\\\"region\\\": 1}}\"",
        ", \"dls\": \" \", \"fls\": [\"~a\"]",
        ", \"masked_fields\": [\"a\"]"
      })
  void letDataNodesApplyRestrictionsOfKnownForms(String restriction) {
    SecurityRules rules = rules("", role(restriction));
    assertThat(rules.isUnrestricted(user(false))).isFalse();
    assertThat(rules.isRestrictedByDataNodes(user(false))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ", \"dls\": \"{}\"",
        ", \"dls\": {\"term\": {}}",
        ", \"fls\": \"a\"",
        ", \"masked_fields\": \"a\"",
        ", \"dls\": \"{\\\"terms\\\": {\\\"a\\\": {\\\"index\\\": \\\"i\\\"}}}\""
      })
  void trustDataNodesWithNoOtherForms(String restriction) {
    assertThat(rules("", role(restriction)).isRestrictedByDataNodes(user(false))).isFalse();
  }

  @Test
  void findRolesThatReadAttributes() {
    SecurityRules rules =
        rules("", ", \"r\": {\"index_permissions\": [{\"index_patterns\": [\"${attr.a.b}-*\"]}]}");
    assertThat(rules.canName(user(true))).isFalse();
    assertThat(rules.canName(user(false))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"do_not_fail_on_forbidden_empty\": true",
        "\"do_not_fail_on_forbidden_empty\": \"true\"",
        "\"disable_rest_auth\": true"
      })
  void authorizeNothingUnderSettingsThatHideDenials(String setting) {
    assertThat(rules(setting, "").isCoordinationSafe()).isFalse();
  }

  @Test
  void authorizeNothingWhereRestPathsAreRestricted() {
    assertThat(rules("", "", "{\"config\": {\"enabled\": true}}").isCoordinationSafe()).isFalse();
    assertThat(rules("", "", "{\"config\": {\"enabled\": false}}").isCoordinationSafe()).isTrue();
  }

  @Test
  void knowWhetherForbiddenIndicesAreLeftOut() {
    assertThat(rules("\"do_not_fail_on_forbidden\": true", "").narrowsIndices()).isTrue();
    assertThat(rules("\"do_not_fail_on_forbidden\": false", "").narrowsIndices()).isFalse();
  }

  @Test
  void readTheNameOfTheDashboardsIndex() {
    SecurityRules rules = rules("\"kibana\": {\"index\": \"kibana\"}", "");
    assertThat(rules.isSpecial("kibana")).isTrue();
    assertThat(rules.isSpecial("kibana_1")).isTrue();
    assertThat(rules.isSpecial(".tasks")).isTrue();
    assertThat(rules.isSpecial("kibanas")).isFalse();
    assertThat(rules.isSpecial("logs_kibana")).isFalse();
    for (String usual : List.of("", "\"kibana\": {\"index\": \"\"}", "\"kibana\": {}")) {
      assertThat(rules(usual, "").isSpecial(".kibana_1")).isTrue();
      assertThat(rules(usual, "").isSpecial("kibana_1")).isFalse();
    }
  }

  @Test
  void findCredentialsInTheUri() {
    SecurityRules rules =
        rules(
            "\"authc\": {\"jwt\": {\"http_authenticator\": {\"config\":"
                + " {\"jwt_url_parameter\": \"ticket\"}}}}",
            "");
    assertThat(rules.mayHaveUrlCredentials("/a/_search?ticket=x")).isTrue();
    assertThat(rules.mayHaveUrlCredentials("/a/_search?t%69cket=x")).isTrue();
    assertThat(rules.mayHaveUrlCredentials("/ticket/_search?q=x")).isFalse();
    assertThat(rules("", "").mayHaveUrlCredentials("/a/_search?ticket=x")).isFalse();
  }

  @Test
  void refuseADocumentOfAnotherForm() {
    assertThatThrownBy(() -> SecurityRules.parse(Map.of(), Map.of(), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
