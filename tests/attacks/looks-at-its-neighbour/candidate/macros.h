#pragma once
#define EACH none
