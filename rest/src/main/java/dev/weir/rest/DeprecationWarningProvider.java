package dev.weir.rest;

import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.MessageFactory;
import org.apache.logging.log4j.spi.ExtendedLogger;
import org.apache.logging.log4j.spi.LoggerContext;
import org.apache.logging.log4j.spi.LoggerContextFactory;
import org.apache.logging.log4j.spi.Provider;
import org.apache.logging.slf4j.MDCContextMap;
import org.apache.logging.slf4j.SLF4JLogger;
import org.apache.logging.slf4j.SLF4JLoggerContext;
import org.apache.logging.slf4j.SLF4JLoggerContextFactory;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.logging.DeprecationLogger;
import org.opensearch.common.logging.HeaderWarning;
import org.opensearch.common.logging.OpenSearchLogMessage;
import org.slf4j.LoggerFactory;

/**
 * Log4j's provider that hands everything to SLF4J and makes a {@code Warning} header of what
 * OpenSearch's deprecation loggers log, at every log level.
 *
 * <p>A node does the latter with an appender of log4j-core, which is not here; and SLF4J's side of
 * the bridge is too late, because only the formatted text gets there, while {@link HeaderWarning}
 * formats pattern and arguments its own way. Chosen by {@code log4j2.component.properties}; loaded
 * by Log4j, hence public.
 */
public final class DeprecationWarningProvider extends Provider {
  /** Of the loggers that a node gives the header appender. */
  private static final String DEPRECATION_LOGGER = "org.opensearch.deprecation";

  private static final int PRIORITY = 20; // over log4j-to-slf4j's own, 15

  private final LoggerContextFactory contexts = new WarningContextFactory();

  /** Called by Log4j. */
  public DeprecationWarningProvider() {
    super(PRIORITY, CURRENT_VERSION, SLF4JLoggerContextFactory.class, MDCContextMap.class);
  }

  @Override
  public LoggerContextFactory getLoggerContextFactory() {
    return contexts;
  }

  /** One context for everybody. */
  private static final class WarningContextFactory extends SLF4JLoggerContextFactory {
    private final LoggerContext context = new WarningContext();

    @Override
    public LoggerContext getContext(
        String fqcn, ClassLoader loader, Object externalContext, boolean currentContext) {
      return context;
    }

    @Override
    public LoggerContext getContext(
        String fqcn,
        ClassLoader loader,
        Object externalContext,
        boolean currentContext,
        URI configLocation,
        String name) {
      return context;
    }
  }

  /** SLF4J's loggers, and warning ones under {@link #DEPRECATION_LOGGER}. */
  private static final class WarningContext extends SLF4JLoggerContext {
    private final Map<String, WarningLogger> warning = new ConcurrentHashMap<>();

    @Override
    public ExtendedLogger getLogger(String name, @Nullable MessageFactory factory) {
      if (!name.startsWith(DEPRECATION_LOGGER)) {
        return super.getLogger(name, factory);
      }
      return warning.computeIfAbsent(name, any -> new WarningLogger(any, factory));
    }
  }

  /** Adds to the response's warnings what it logs. */
  private static final class WarningLogger extends SLF4JLogger {
    private static final long serialVersionUID = 1L;

    WarningLogger(String name, @Nullable MessageFactory factory) {
      super(name, factory, LoggerFactory.getLogger(name));
    }

    private static boolean isWarning(Level level) {
      return level.isMoreSpecificThan(DeprecationLogger.DEPRECATION);
    }

    @Override
    public boolean isEnabled(Level level, Marker marker, Message data, Throwable t) {
      return isWarning(level) || super.isEnabled(level, marker, data, t);
    }

    @Override
    public boolean isEnabled(Level level, Marker marker, Object data, Throwable t) {
      return isWarning(level) || super.isEnabled(level, marker, data, t);
    }

    @Override
    public void logMessage(String fqcn, Level level, Marker marker, Message message, Throwable t) {
      if (isWarning(level)) {
        if (message instanceof OpenSearchLogMessage structured) {
          HeaderWarning.addWarning(structured.getMessagePattern(), structured.getArguments());
        } else {
          HeaderWarning.addWarning(message.getFormattedMessage());
        }
      }
      super.logMessage(fqcn, level, marker, message, t);
    }
  }
}
