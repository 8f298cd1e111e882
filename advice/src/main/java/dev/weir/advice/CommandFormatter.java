package dev.weir.advice;

import dev.weir.advice.finding.MendStep;

/**
 * Writes steps as text to paste: calls as {@code curl} commands for a POSIX shell.
 *
 * @param endpoint the address of the cluster's REST API, such as {@code http://localhost:9200}
 * @param curlOptions further options, such as credentials from the environment; empty for none
 */
public record CommandFormatter(String endpoint, String curlOptions) {
  /** For ten minutes. */
  private static final String REPEAT = " --retry 120 --retry-delay 5";

  /** Returns a step as text. */
  public String format(MendStep step) {
    return switch (step) {
      case MendStep.Call call -> curl(call);
      case MendStep.NodeSetting(String line) -> line;
      case MendStep.GatewaySetting(String yaml) -> yaml;
      case MendStep.Command(String text) -> text;
    };
  }

  /** Returns where a step belongs. */
  public static String place(MendStep step) {
    return switch (step) {
      case MendStep.Call _ -> "call";
      case MendStep.NodeSetting setting ->
          setting.line().startsWith("-") ? "config/jvm.options" : "config/opensearch.yml";
      case MendStep.GatewaySetting _ -> "weir.yaml";
      case MendStep.Command command -> command.text().startsWith("weir ") ? "gateway" : "node";
    };
  }

  private String curl(MendStep.Call call) {
    StringBuilder command = new StringBuilder("curl -g -sS --fail-with-body");
    if (call.isRepeated()) {
      command.append(REPEAT);
    }
    command.append(" -X ").append(call.method());
    if (!curlOptions.isEmpty()) {
      command.append(' ').append(curlOptions);
    }
    command.append(' ').append(quote(endpoint + call.path()));
    if (!call.body().isEmpty()) {
      command.append(" -H 'Content-Type: application/json' -d ").append(quote(call.body()));
    }
    return command.toString();
  }

  private static String quote(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
