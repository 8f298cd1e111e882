/** The policy as nested records that mirror the YAML file. Immutable; read once a request. */
@NullMarked
package dev.weir.config.policy;

import org.jspecify.annotations.NullMarked;
