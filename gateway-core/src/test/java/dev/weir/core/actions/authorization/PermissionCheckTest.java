package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;

class PermissionCheckTest {
  @Test
  void askAboutTheExpressionWithItsOptions() {
    PermissionCheck check =
        PermissionCheck.ofSearch(
            new String[] {"orders-*", "-orders-7"}, SearchRequest.DEFAULT_INDICES_OPTIONS);
    assertThat(check.method()).isEqualTo("GET");
    assertThat(check.uri())
        .isEqualTo(
            "/orders-%2A,-orders-7/_search?perform_permission_check=true"
                + "&ignore_unavailable=false&allow_no_indices=true&expand_wildcards=open");
  }

  @Test
  void askAboutAllIndices() {
    assertThat(PermissionCheck.ofSearch(new String[0], IndicesOptions.lenientExpandHidden()).uri())
        .startsWith("/_search?perform_permission_check=true&")
        .endsWith("expand_wildcards=closed,hidden,open");
  }

  @Test
  void leaveNoCharacterOfANameAMeaning() {
    assertThat(PermissionCheck.ofSearch(List.of("a&b?c#d/e f+g%h,ü")).uri())
        .isEqualTo("/a%26b%3Fc%23d%2Fe%20f%2Bg%25h%2C%C3%BC/_search?perform_permission_check=true");
  }

  @Test
  void takeOnlyAPlainGrantForAGrant() {
    assertThat(granted(200, "{\"accessAllowed\":true,\"missingPrivileges\":[]}")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "null",
        "{\"accessAllowed\":true}",
        "{\"accessAllowed\":\"true\",\"missingPrivileges\":[]}",
        "{\"accessAllowed\":true,\"missingPrivileges\":[\"indices:data/read/search\"]}",
        "{\"accessAllowed\":false,\"missingPrivileges\":[]}",
        "{\"took\":1,\"hits\":{\"hits\":[]}}",
        "{\"accessAllowed\":true,\"missingPrivileges\":[]",
        "no json"
      })
  void takeNothingElseForAGrant(String body) {
    assertThat(granted(200, body)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {201, 302, 400, 401, 403, 429, 500, 503})
  void takeNoOtherStatusForAGrant(int status) {
    assertThat(granted(status, "{\"accessAllowed\":true,\"missingPrivileges\":[]}")).isFalse();
  }

  private static boolean granted(int status, String body) {
    return PermissionChecker.isGranted(new CheckResponse(status, body));
  }
}
