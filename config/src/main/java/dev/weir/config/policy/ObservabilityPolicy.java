package dev.weir.config.policy;

/** What the gateway says about itself. */
public record ObservabilityPolicy(
    @ConfigKey(value = "plain", doc = "plain or json lines on standard output.")
        LogFormat logFormat,
    @Dynamic @ConfigKey(value = "info", doc = "The least important level that is written.")
        LogLevel logLevel,
    @ConfigKey(value = "false", doc = "Whether every request writes a line.")
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
