package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttributeRulesTest {
  private static AttributeRules rules(String attributes) {
    return new AttributeRules(
        Set.of("by-region"),
        AttributeRules.parse(
            AuthenticatedUser.readJson(
                "{\"_meta\": {\"type\": \"internalusers\"}, \"ada\": {\"attributes\": "
                    + attributes
                    + "}}")));
  }

  private static AuthenticatedUser ada(String role, String... attributeNames) {
    return TestUsers.named("ada", Set.of(role), Set.of(attributeNames));
  }

  @Test
  void knowTheAttributesOfInternalUsers() {
    assertThat(
            rules("{\"region\": \"north-1 a\"}").valuesOf(ada("by-region", "attr.internal.region")))
        .isEqualTo(Map.of("attr.internal.region", "north-1 a"));
  }

  @Test
  void needNoValuesWhereNoRoleReadsThem() {
    assertThat(rules("{}").valuesOf(ada("reader", "attr.jwt.sub"))).isEmpty();
    assertThat(rules("{}").valuesOf(ada("by-region"))).isEmpty();
  }

  /** A token, a directory or a proxy may give the same user other attributes. */
  @Test
  void leaveOtherAttributesToNodes() {
    AttributeRules rules = rules("{\"region\": \"north\"}");
    assertThat(rules.valuesOf(ada("by-region", "attr.jwt.region"))).isNull();
    assertThat(rules.valuesOf(ada("by-region", "attr.internal.region", "attr.jwt.sub"))).isNull();
    assertThat(rules.valuesOf(ada("by-region", "attr.internal.region", "attr.internal.new")))
        .isNull();
    AuthenticatedUser other =
        TestUsers.named("eve", Set.of("by-region"), Set.of("attr.internal.region"));
    assertThat(rules.valuesOf(other)).isNull();
  }

  @Test
  void leaveAccountsOfServicesToNodes() {
    AttributeRules rules = rules("{\"service\": \"true\"}");
    assertThat(rules.valuesOf(ada("by-region", "attr.internal.service"))).isNull();
    assertThat(rules.valuesOf(ada("reader", "attr.internal.service"))).isNull();
  }

  /** Such a value could change the query that a node puts it into. */
  @ParameterizedTest
  @ValueSource(
      strings = {"\"a\\\"b\"", "\"{}\"", "\"a,b\"", "\"[1]\"", "\"${user.name}\"", "7", "null"})
  void leaveUnusualValuesToNodes(String value) {
    assertThat(
            rules("{\"region\": " + value + "}").valuesOf(ada("by-region", "attr.internal.region")))
        .isNull();
  }

  @Test
  void nameTheUserWithTheAttributesOfTheMoment() {
    AuthenticatedUser ada = ada("by-region");
    Map<String, String> plain = ada.headers().with(Map.of());
    Map<String, String> north = ada.headers().with(Map.of("attr.internal.region", "north"));
    assertThat(north).isNotEqualTo(plain);
    assertThat(ada.headers().with(Map.of("attr.internal.region", "south"))).isNotEqualTo(north);
    assertThat(ada.headers().with(Map.of())).isEqualTo(plain);
  }
}
