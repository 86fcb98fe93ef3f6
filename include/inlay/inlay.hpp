// Everything that a user of sessions needs.
#pragma once
#include <inlay/impl/cxx20.hpp>

#include "any_session.hpp"
#include "model.hpp"
#include "plugin.hpp"
#include "provider/cpu.hpp"
#include "provider/reference.hpp"
#include "session.hpp"
#include "shadow.hpp"
#include "tensor.hpp"
#include "thread_pool.hpp"
#include "twin.hpp"
