package dev.weir.it.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseShapeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"took\": 3} | {\"took\": 12, \"hits\": []}",
        "{\"nodes\": [{\"name\": \"node-2\"}]} | {\"nodes\": [{\"name\": \"x\"}, {\"name\":"
            + " \"node-3\"}]}",
        "weir_requests{node=\"...\"} 1.0 | weir_requests{node=\"a\"} 25.0",
        "green   products 3 1 | green products 1 1",
      })
  void takesOtherFigures(String shown, String printed) {
    assertThat(ResponseShape.findDifference(shown, printed)).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"took\": 3} | {\"hits\": []}",
        "{\"took\": 3} | {\"took\": \"3\"}",
        "{\"ready\": true} | {\"ready\": false}",
        "{\"ready\": true} | what is no JSON",
        "{\"status\": \"green\"} | {\"status\": \"yellow\"}",
        "{\"nodes\": [{\"name\": \"a\"}]} | {\"nodes\": []}",
        "weir_requests{node=\"...\"} 1.0 | weir_answers{node=\"a\"} 25.0",
        "status 2 | ``",
      })
  void refusesOtherWords(String shown, String printed) {
    assertThat(ResponseShape.findDifference(shown, printed)).isNotNull();
  }

  @Test
  void linesComeInTheirOrder() {
    assertThat(ResponseShape.findDifference("a\n...\nc\n", "a\nb\nc\n")).isNull();
    assertThat(ResponseShape.findDifference("c\n...\na\n", "a\nb\nc\n")).isNotNull();
  }

  @Test
  void commandsEndWhereAShellEndsThem() {
    String text = "$ curl x -d 'a\nb' |\n  wc -l   # isn't it\n1\n$ true\n";
    List<ShellCommand> commands =
        ShellCommand.of(new MarkdownDoc.Block("x.md", 1, "console", text));
    assertThat(commands)
        .extracting(ShellCommand::text)
        .containsExactly("curl x -d 'a\nb' |\n  wc -l   # isn't it", "true");
    assertThat(commands).extracting(ShellCommand::answer).containsExactly("1\n", "");
  }
}
