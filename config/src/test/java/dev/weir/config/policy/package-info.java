/** Tests of the package of the same name. */
@NullMarked
package dev.weir.config.policy;

import org.jspecify.annotations.NullMarked;
