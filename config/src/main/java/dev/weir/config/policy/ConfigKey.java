package dev.weir.config.policy;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Describes one key of the configuration: a record component whose value is a scalar, a list of
 * scalars or of sections, or a map of scalars or of sections. The loader, its messages and the page
 * of the effective configuration all read it.
 */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
public @interface ConfigKey {
  /** Says that a key has no default and must be written. */
  String REQUIRED = "\0required";

  /** The default, written as in YAML; {@link #REQUIRED} for none; empty for an empty value. */
  String value() default REQUIRED;

  /** The smallest value, written as in YAML; empty for no bound. */
  String min() default "";

  /** The largest value, written as in YAML; empty for no bound. */
  String max() default "";

  /** Whether the value is never shown. */
  boolean secret() default false;

  /** What it does, in a sentence. */
  String doc();
}
