package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ObjectInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticatedUserTest {
  private static final String ADA =
      """
      {"user": "User [name=ada]", "user_name": "ada", "user_requested_tenant": null,
       "remote_address": "192.0.2.7:51000", "backend_roles": ["b"], "custom_attribute_names": [],
       "roles": ["r1", "r2"], "tenants": {"ada": true}, "principal": null}
      """;

  @Test
  void readTheRolesOfAUser() {
    AuthenticatedUser user = AuthenticatedUser.parse(ADA, "c");
    assertThat(user.name()).isEqualTo("ada");
    assertThat(user.roles()).containsExactly("r1", "r2");
    assertThat(user.attributeNames()).isEmpty();
    assertThat(user.headers().with(Map.of()))
        .containsEntry("_opendistro_security_origin_header", "REST")
        .containsEntry("_opendistro_security_remotecn", "c")
        .containsKey("_opendistro_security_user_header");
  }

  @Test
  void writeTheAddressThatTheNodeSaw() throws Exception {
    assertThat(address(ADA))
        .isEqualTo(new InetSocketAddress(InetAddress.getByName("192.0.2.7"), 51_000));
    assertThat(address(ADA.replace("192.0.2.7", "[2001:db8::1]")))
        .isEqualTo(new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 51_000));
  }

  private static Object address(String authInfo) throws Exception {
    String header =
        AuthenticatedUser.parse(authInfo, "c")
            .headers()
            .with(Map.of())
            .get("_opendistro_security_remote_address_header");
    assertThat(header).isNotNull();
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(header)))) {
      return in.readObject();
    }
  }

  @Test
  void readTheNamesOfAttributes() {
    String json =
        ADA.replace("\"custom_attribute_names\": []", "\"custom_attribute_names\": [\"a\"]");
    assertThat(AuthenticatedUser.parse(json, "c").attributeNames()).containsExactly("a");
  }

  /** A node takes such names for an administrator's certificate, or for a plugin. */
  @ParameterizedTest
  @ValueSource(strings = {"CN=admin", "plugin:org.example.Plugin", ""})
  void refuseNamesWithSpecialRights(String name) {
    String json = ADA.replace("\"user_name\": \"ada\"", "\"user_name\": \"" + name + "\"");
    assertThatThrownBy(() -> AuthenticatedUser.parse(json, "c"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"user_name", "remote_address", "backend_roles", "custom_attribute_names", "roles"})
  void refuseAnAnswerWithoutAField(String field) {
    String json = ADA.replace("\"" + field + "\"", "\"x\"");
    assertThatThrownBy(() -> AuthenticatedUser.parse(json, "c"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
