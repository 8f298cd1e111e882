package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a key, or all keys of a section, as taking effect while the gateway runs. The nearest
 * annotation applies; without any, a change takes effect at the next start. Reloads, {@code check
 * --diff} and the reference read it.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Dynamic {
  /** Whether a change takes effect while the gateway runs. */
  boolean value() default true;
}
