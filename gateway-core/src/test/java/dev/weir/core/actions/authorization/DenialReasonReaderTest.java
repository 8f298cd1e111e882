package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.actions.authorization.SecurityCheckClient.CheckResponse;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DenialReasonReaderTest {
  private static final String REFUSAL =
      """
      {"error":{"root_cause":[{"type":"security_exception","reason":"no permissions for X"}],
       "type":"security_exception","reason":"no permissions for X"},"status":403}
      """;

  @Test
  void readTheWordsOfARefusal() {
    assertThat(DenialReasonReader.denialReasonOf(new CheckResponse(403, REFUSAL)).reason())
        .isEqualTo("no permissions for X");
  }

  /** What has more than a reason, the gateway can't write as the node does. */
  @ParameterizedTest
  @ValueSource(strings = {"\"status\":403", "\"type\":\"security_exception\"", "\"root_cause\""})
  void takeNoOtherAnswerForARefusal(String part) {
    String body = REFUSAL.replaceFirst(Pattern.quote(part), "\"more\":1,$0");
    assertThat(body).isNotEqualTo(REFUSAL);
    assertThat(DenialReasonReader.denialReasonOf(new CheckResponse(403, body)))
        .isEqualTo(DenialReasonReader.DenialReason.NONE);
    assertThat(DenialReasonReader.denialReasonOf(new CheckResponse(200, REFUSAL)))
        .isEqualTo(DenialReasonReader.DenialReason.NONE);
    assertThat(DenialReasonReader.denialReasonOf(new CheckResponse(403, "forbidden")))
        .isEqualTo(DenialReasonReader.DenialReason.NONE);
  }
}
