package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which headers may be declared to say nothing about a client. */
final class NeutralHeaderTest {
  private static final String CLUSTER = "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n";

  private static LoadResult parse(String text) {
    return new PolicyLoader(Map.of()).parse("weir.yaml", CLUSTER + text);
  }

  private static List<String> problems(String text) {
    return switch (parse(text)) {
      case LoadResult.Loaded _ -> List.of();
      case LoadResult.Invalid refused ->
          refused.problems().stream().map(ConfigurationProblem::message).toList();
    };
  }

  @Test
  void takeHeadersOfRequests() {
    String text = "http: {neutral-headers: [X-Number, X-Edge-Trace]}\n";
    assertThat(problems(text)).isEmpty();
    GatewayPolicy policy = ((LoadResult.Loaded) parse(text)).policy();
    assertThat(policy.http().neutralHeaders()).containsExactly("X-Number", "X-Edge-Trace");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization",
        "Proxy-Authorization",
        "Cookie",
        "x-proxy-user",
        "X-Proxy-Ext-Department",
        "X-Forwarded-For",
        "Forwarded",
        "securitytenant",
        "opendistro_security_impersonate_as",
        "X-Amz-Security-Token",
        "X-Api-Key",
        "X-SSO",
        "X-Cert-Name"
      })
  void refuseHeadersByWhichNodesMayRecognizeClients(String name) {
    String sso = "identity-headers: [x-sso], client-certificates: {user-header: x-cert-name}";
    assertThat(problems("http: {" + sso + ", neutral-headers: [X-Number, " + name + "]}\n"))
        .containsExactly(
            "got "
                + name
                + ", by which a node may recognize a client (expected: a header that says nothing"
                + " about the client): http.neutral-headers[1]");
  }

  @Test
  void refuseWhatIsNoHeader() {
    assertThat(problems("http: {neutral-headers: [\"a b\"]}\n"))
        .containsExactly("got 'a b' (expected: the name of a header): http.neutral-headers[0]");
  }

  @Test
  void refuseADeadlineHeaderByWhichNodesMayRecognizeClients() {
    assertThat(problems("admission: {deadline: {timeout-header: X-Proxy-User}}\n"))
        .singleElement()
        .asString()
        .contains("by which a node may recognize a client", "admission.deadline.timeout-header");
  }
}
