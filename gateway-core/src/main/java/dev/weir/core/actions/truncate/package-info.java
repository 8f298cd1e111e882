/** Values of keyword fields that are longer than an index takes, cut on the way in. */
@NullMarked
package dev.weir.core.actions.truncate;

import org.jspecify.annotations.NullMarked;
