package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes one key of the configuration: a record component whose value is a scalar, a list of
 * scalars or of sections, or a map of scalars or of sections. The loader, its messages and the page
 * of the effective configuration read it.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface ConfigKey {
  /** Marks a key without a default, which the file must contain. */
  String REQUIRED = "\0required";

  /** The default, in YAML's notation; {@link #REQUIRED} for none; empty for an empty value. */
  String value() default REQUIRED;

  /** The smallest value, in YAML's notation; empty for no bound. */
  String min() default "";

  /** The largest value, in YAML's notation; empty for no bound. */
  String max() default "";

  /** Whether the value is never shown. */
  boolean secret() default false;

  /** What the key does, in a sentence. */
  String doc();
}
