package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.index.mapper.MapperParsingException;

class RepairEntryTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "failed to parse field [card] of type [long] in document with id '1'. Preview of field's"
            + " value: '4111-1111'",
        "Document contains at least one immense term in field=\"card\". The prefix of the first"
            + " immense term is: '4111-1111'...",
        "For input string: \"4111-1111\""
      })
  void leaveTheValueOfAFieldOut(String message) {
    Cause cause = Cause.of(new MapperParsingException(message));
    assertThat(cause.type()).isEqualTo("mapper_parsing_exception");
    assertThat(cause.reason()).doesNotContain("4111");
    assertThat(message).startsWith(cause.reason());
  }

  @Test
  void keepTheRestOfTheMessage() {
    assertThat(Cause.of(new IllegalArgumentException("no such field")).reason())
        .isEqualTo("no such field");
    assertThat(
            Cause.of(
                    new MapperParsingException(
                        "failed to parse field [card]. Preview of field's value: '4'"))
                .reason())
        .isEqualTo("failed to parse field [card].");
  }
}
