package dev.weir.config.policy;

/** Logs and traces. */
public record ObservabilityPolicy(
    @ConfigKey(
            value = "plain",
            doc =
                "Format of log lines on standard output: plain, or json for one object on each"
                    + " line.")
        LogFormat logFormat,
    @Dynamic @ConfigKey(value = "info", doc = "Least severe level that the gateway logs.")
        LogLevel logLevel,
    @ConfigKey(value = "false", doc = "Whether the gateway logs one line for each request.")
        boolean accessLogEnabled,
    TracesPolicy traces) {

  /** The forms of log lines. */
  public enum LogFormat {
    /** For people. */
    PLAIN,
    /** One JSON object a line. */
    JSON
  }

  /** Levels of log lines. */
  public enum LogLevel {
    /** Failures only. */
    ERROR,
    /** And what needs attention. */
    WARN,
    /** And what changed. */
    INFO,
    /** And what happened. */
    DEBUG,
    /** And everything else. */
    TRACE
  }
}
