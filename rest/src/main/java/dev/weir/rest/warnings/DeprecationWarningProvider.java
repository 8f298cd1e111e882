package dev.weir.rest.warnings;

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
 * A Log4j provider that forwards everything to SLF4J and adds the messages of OpenSearch's
 * deprecation loggers to the {@code Warning} header, at every log level.
 *
 * <p>A node uses an appender of log4j-core for the header, which the gateway does not contain.
 * SLF4J receives only formatted text, which is too late: {@link HeaderWarning} formats pattern and
 * arguments in its own way. {@code log4j2.component.properties} selects this class, and Log4j loads
 * it; therefore it is public.
 */
public final class DeprecationWarningProvider extends Provider {
  /** The root of the loggers that have the header appender on a node. */
  private static final String DEPRECATION_LOGGER = "org.opensearch.deprecation";

  private static final int PRIORITY = 20; // above log4j-to-slf4j's 15

  private final LoggerContextFactory contexts = new WarningContextFactory();

  /** Called by Log4j. */
  public DeprecationWarningProvider() {
    super(PRIORITY, CURRENT_VERSION, SLF4JLoggerContextFactory.class, MDCContextMap.class);
  }

  @Override
  public LoggerContextFactory getLoggerContextFactory() {
    return contexts;
  }

  /** Provides the one logger context. */
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

  /** Provides SLF4J loggers, and loggers with warnings below {@link #DEPRECATION_LOGGER}. */
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

  /** A logger that also adds its messages to the response's warnings. */
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
