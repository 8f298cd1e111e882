package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says whether a changed value takes effect while the gateway runs: of a key, or of all keys of a
 * section. The nearest one counts; where there is none, a change takes effect at the next start.
 * What a reload takes over, what {@code check --diff} says and what the reference says all go by
 * it.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface Dynamic {
  /** Whether it does. */
  boolean value() default true;
}
