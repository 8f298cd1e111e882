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

  /** The formats of log lines. */
  public enum LogFormat {
    /** Text for people. */
    PLAIN,
    /** One JSON object for each line. */
    JSON
  }

  /** Levels of log lines; each includes the ones before. */
  public enum LogLevel {
    /** Failures only. */
    ERROR,
    /** Conditions that need attention. */
    WARN,
    /** Changes of state. */
    INFO,
    /** Single events. */
    DEBUG,
    /** Everything else. */
    TRACE
  }
}
